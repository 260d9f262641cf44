"""KVM or emulation (TCG): a test boot decides, since on some hosts with /dev/kvm guests never start."""

import json
import os
import re
from pathlib import Path

from spindlemark.core import atomic_write, dry_run, paths, safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute
from spindlemark.core.process.programs import find
from spindlemark.testbeds.vm.packages import Kernel

QEMU = "qemu-system-x86_64"
PROBE_SECONDS = 10
DEVICE = Path("/dev/kvm")
BOOT = Path("/proc/sys/kernel/random/boot_id")
CACHE = paths.BUILD / "accelerator.json"
_QUICK_SECONDS = 30
_MOST_BYTES = 1 << 16


def chosen(kernel: Kernel, cache: Path = CACHE) -> str:
    """Return "kvm" when a guest runs with it, else "tcg". Tested once for each boot of the host and version of QEMU.

    The test boots the kernel without a disk and succeeds when the kernel panics for lack of one. All kernels share the
    result, so that they never differ in their accelerator.
    """
    found = known(cache)
    if found is None:
        found = "kvm" if _starts(kernel) else "tcg"
        if not dry_run.active():
            atomic_write.write(cache, json.dumps(_conditions() | {"accelerator": found}))
    return found


def known(cache: Path = CACHE) -> str | None:
    """The accelerator if no test is needed: None when there was none since the host's boot with this QEMU."""
    if not DEVICE.exists() or not os.access(DEVICE, os.R_OK | os.W_OK):
        return "tcg"
    try:
        noted = json.loads(safe_read.read(cache, _MOST_BYTES, ""))
    except (UserError, ValueError):
        return None
    found = noted.pop("accelerator", None)
    return found if noted == _conditions() else None


def _conditions() -> dict[str, str | None]:
    return {"boot": BOOT.read_text().strip(), "qemu": qemu_version()}


def qemu_version() -> str | None:
    """QEMU's version, None when it is not installed."""
    if find(QEMU) is None:
        return None
    found = re.search(r"version (\S+)", execute([QEMU, "--version"], _QUICK_SECONDS).stdout)
    return found[1] if found else None


def _starts(kernel: Kernel) -> bool:
    done = execute(
        [
            QEMU,
            "-accel",
            "kvm",
            "-cpu",
            "host",
            "-m",
            "256M",
            "-nodefaults",
            "-display",
            "none",
            "-no-reboot",
            "-serial",
            "stdio",
            "-kernel",
            str(kernel.image),
            "-append",
            "console=ttyS0 panic=-1",
        ],
        PROBE_SECONDS,
    )
    return not done.timed_out and "Kernel panic - not syncing" in done.stdout
