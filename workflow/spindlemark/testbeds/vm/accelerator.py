"""KVM or emulation (TCG): a probe decides, since a host may have /dev/kvm whose guests never start."""

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
    """Return "kvm" when a guest really runs with it, else "tcg". Asked once for each boot of the host and version of QEMU.

    The probe boots the kernel without any disk: it works when the kernel gets as far as missing one. All kernels share
    the answer, so that what differs between them is never that.
    """
    found = known(cache)
    if found is None:
        found = "kvm" if _starts(kernel) else "tcg"
        if not dry_run.active():
            atomic_write.write(cache, json.dumps(_asked() | {"accelerator": found}))
    return found


def known(cache: Path = CACHE) -> str | None:
    """What is known without a probe: None when none was made since the host started, with this QEMU."""
    if not DEVICE.exists() or not os.access(DEVICE, os.R_OK | os.W_OK):
        return "tcg"
    try:
        noted = json.loads(safe_read.read(cache, _MOST_BYTES, ""))
    except (UserError, ValueError):
        return None
    found = noted.pop("accelerator", None)
    return found if noted == _asked() else None


def _asked() -> dict[str, str | None]:
    return {"boot": BOOT.read_text().strip(), "qemu": qemu_version()}


def qemu_version() -> str | None:
    """QEMU's version, None when it is not here."""
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
