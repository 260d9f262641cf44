"""KVM or emulation (TCG): a probe decides, since a host may have /dev/kvm whose guests never start."""

import json
import os
import re
from pathlib import Path

from spindlemark import paths, written
from spindlemark.measure.command import execute
from spindlemark.testbeds.vm.packages import Kernel
from spindlemark.tools import find

QEMU = f"qemu-system-{os.uname().machine}"
PROBE_SECONDS = 10
DEVICE = Path("/dev/kvm")
BOOT = Path("/proc/sys/kernel/random/boot_id")
CACHE = paths.BUILD / "accelerator.json"
_QUICK_SECONDS = 30


def chosen(kernel: Kernel, cache: Path = CACHE) -> str:
    """"kvm" when a guest really runs with it, else "tcg". Asked once for each boot of the host and version of QEMU.

    The probe boots the kernel without any disk: it works when the kernel gets as far as missing one.
    """
    if not DEVICE.exists() or not os.access(DEVICE, os.R_OK | os.W_OK):
        return "tcg"
    state = {"boot": BOOT.read_text().strip(), "qemu": qemu_version(), "release": kernel.release}
    try:
        known = json.loads(cache.read_text())
        if {key: known[key] for key in state} == state:
            return known["accelerator"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # never asked, or not since the host started
    accelerator = "kvm" if _starts(kernel) else "tcg"
    cache.parent.mkdir(parents=True, exist_ok=True)
    written.write(cache, json.dumps(state | {"accelerator": accelerator}) + "\n")
    return accelerator


def qemu_version() -> str | None:
    """QEMU's version, None when it is not here."""
    if find(QEMU) is None:
        return None
    found = re.search(r"version (\S+)", execute([QEMU, "--version"], _QUICK_SECONDS).stdout)
    return found[1] if found else None


def _starts(kernel: Kernel) -> bool:
    done = execute([QEMU, "-accel", "kvm", "-cpu", "host", "-m", "256M", "-nodefaults", "-display", "none",
                    "-no-reboot", "-serial", "stdio", "-kernel", str(kernel.image), "-append",
                    "console=ttyS0 panic=-1"], PROBE_SECONDS)
    return not done.timed_out and "Kernel panic - not syncing" in done.stdout
