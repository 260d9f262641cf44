"""The virtual machine on the host: started once, found by the processes of later repetitions, ended.

<directory>/vm-<testbed>/    has our mark, or else is not touched
    qmp.sock        QEMU's control socket
    shared/         seen by the guest as /run/spindlemark-host: code, requests, answers
    modules         link to the kernel's modules, seen by the guest as /run/spindlemark-modules: it mounts empty folders
                    on /tmp, /var/tmp, /var/cache and others, which hide a clone that is stored there

The whole machine runs in a PID namespace of its own: when its first process ends, the kernel ends all others. The
running machine is noted in a file that only root can read and write.
"""

import hashlib
import os
import re
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

from spindlemark.config import VmTestbed
from spindlemark.core import paths, private_files
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Failed
from spindlemark.core.process import programs
from spindlemark.core.process.interrupts import interruptible
from spindlemark.core.process.programs import find
from spindlemark.testbeds import image, mark
from spindlemark.testbeds.vm import accelerator, exchange, processes
from spindlemark.testbeds.vm.packages import Kernel
from spindlemark.testbeds.vm.processes import Machine

SHARED, MODULES, SOCKET = "shared", "modules", "qmp.sock"
DISK = "disk"  # QEMU's name of the measured disk
# The disk with the agent's modules and the tools, in `shared`, and its serial number.
AGENT_DISK, AGENT_SERIAL = "agent.img", "spindlemark-agent"
GUEST, _GUEST_MODULES = Path("/run/spindlemark-host"), Path("/run/spindlemark-modules")
# Drivers of devices of the board that no measurement uses; without them an emulated boot takes half as long.
_NOT_LOADED = (
    "kvm,kvm_amd,kvm_intel,ahci,libahci,lpc_ich,i2c_i801,i2c_smbus,iTCO_wdt,i6300esb,pcspkr,psmouse,evdev,"
    "serio_raw,joydev,button,parport_pc,ppdev,acpi_cpufreq,powernow_k8,intel_agp,sha512_ssse3,sha256_ssse3,"
    "aesni_intel,ghash_clmulni_intel,crc32_pclmul,cryptd,drm,bochs,cirrus,snd"
)
_NEEDED = {
    accelerator.QEMU: "qemu-system-x86",
    "busybox": "busybox-static",
    "modprobe": "kmod",
    "depmod": "kmod",
    "file": "file",
    "ldd": "libc-bin",
    "mkfs.ext4": "e2fsprogs",
}
_END_SECONDS = 30
_CRASH = re.compile(r"Kernel panic|Oops|BUG:|kernel BUG|general protection fault")


def missing_tools() -> dict[str, str]:
    """Tool -> package of the tools that a machine needs and this host lacks."""
    absent = {tool: package for tool, package in _NEEDED.items() if find(tool) is None}
    return absent if find_spec("virtme_ng") else absent | {"vng": "virtme-ng"}


def folder_of(testbed: str, declared: VmTestbed) -> Path:
    """The folder of the machine's files, which exists only while a machine runs."""
    return directory_of(declared) / f"vm-{testbed}"


def directory_of(declared: VmTestbed) -> Path:
    """The testbed's folder; a relative path starts at the project's root."""
    return paths.ROOT / declared.directory


def running(testbed: str, declared: VmTestbed) -> Machine | None:
    """The machine that was started before, dead or alive; None when there is none."""
    try:
        return Machine(**private_files.read_note(_note(testbed, declared)))
    except TypeError:
        return None


def start(
    testbed: str,
    declared: VmTestbed,
    kernel: Kernel,
    accelerator: str,
    size: int,
    install: Callable[[Path], None],
    key: str,
) -> Machine:
    """Boot a machine with a new disk of `size` bytes and wait until its agent is ready.

    `install` writes the disk AGENT_DISK and the script `start` into the folder that host and guest share.

    Raises Failed with the last lines of its console when it does not boot in time.
    """
    folder = _made(testbed, declared)
    disk = image.make(directory_of(declared), testbed, size)
    install(folder / SHARED)
    (folder / MODULES).symlink_to(kernel.modules)
    log = paths.BUILD / "logs" / f"{testbed}-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    serial = f"spindlemark-{uuid4().hex[:8]}"
    machine = Machine(0, None, serial, key, str(log), uuid4().hex)
    private_files.write_note(_note(testbed, declared), asdict(machine))
    process = _launch(_argv(declared, kernel, accelerator, disk, serial), folder, log, machine.secret)
    machine = replace(machine, pid=process.pid, began=processes.start_of(process.pid))
    private_files.write_note(_note(testbed, declared), asdict(machine))
    _wait(machine, folder / SHARED, declared.boot_seconds)
    return machine


def end(testbed: str, declared: VmTestbed) -> None:
    """End the machine, if there is one, and remove its disk and files. Raises TimeoutError when it cannot be ended."""
    folder = folder_of(testbed, declared)
    machine = running(testbed, declared)
    give_up = time.monotonic() + _END_SECONDS
    while machine and any(machine.processes()):
        machine.kill()
        if time.monotonic() > give_up:
            raise TimeoutError(f"the virtual machine of {folder} cannot be ended")
        time.sleep(0.02)
    image.remove(directory_of(declared), testbed)
    _remove(folder, testbed)
    private_files.remove_note(_note(testbed, declared))


def last_console_lines(log: Path, lines: int = 12) -> str:
    """The last lines of the guest's console, or those from the first error of its kernel on."""
    printed = [line.strip() for line in _console(log).splitlines() if line.strip()]
    first = next((n for n, line in enumerate(printed) if _CRASH.search(line)), len(printed) - lines)
    return " | ".join(printed[max(0, first) :][:lines]) or "its console is empty"


def kernel_crashed(log: Path) -> bool:
    """Whether the guest's kernel crashed; a machine that ended without a crash was ended from outside."""
    return _CRASH.search(_console(log)) is not None


def _note(testbed: str, declared: VmTestbed) -> str:
    """The name of the note, which differs between two clones with a testbed of the same name."""
    return f"machine-{testbed}-{hashlib.sha256(str(folder_of(testbed, declared)).encode()).hexdigest()[:12]}"


def _made(testbed: str, declared: VmTestbed) -> Path:
    """Create and mark the machine's folder. An empty one is reused, since a crash before the mark may leave it."""
    folder = private_files.folder(folder_of(testbed, declared), 0o700)
    with private_files.opened(folder) as inside:
        if os.listdir(inside):
            raise UserError(
                f"{folder}: is in the way: {mark.problem(inside, folder, testbed, left=True)}", "move it away"
            )
        mark.put(inside, folder, testbed)
        os.mkdir(SHARED, dir_fd=inside)
    return folder


def _remove(folder: Path, testbed: str) -> None:
    """Delete the machine's folder if it is ours; one without our mark stays."""
    try:
        inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return  # there is none, or something else is in its place
    try:
        if mark.problem(inside, folder, testbed, left=True) is None:
            private_files.empty(inside)
            folder.rmdir()
    finally:
        os.close(inside)


def _console(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""


def _argv(declared: VmTestbed, kernel: Kernel, accelerator: str, disk: Path, serial: str) -> list[str]:
    """The command of virtme-ng with the packaged kernel, the host's userland read-only, our disk and the shared folder."""
    direct = "on" if declared.direct_io else "off"
    file = os.path.relpath(disk, disk.parent / "any").replace(",", ",,")  # relative to the machine's folder
    options = [
        "-nodefaults",
        "-qmp",
        f"unix:{SOCKET},server=on,wait=off",
        "-drive",
        f"if=none,id={DISK},file={file},format=raw,cache.direct={direct},discard=ignore",
        "-device",
        f"virtio-blk-pci,drive={DISK},serial={serial}",
        "-drive",
        f"if=none,id=agent,file={SHARED}/{AGENT_DISK},format=raw,readonly=on",
        "-device",
        f"virtio-blk-pci,drive=agent,serial={AGENT_SERIAL}",
    ]
    return [
        "unshare",
        "--pid",
        "--fork",
        "--kill-child",
        "--",
        *programs.PYTHON,
        "-m",
        "virtme_ng.run",
        "--verbose",
        "--run",
        str(kernel.image),
        "--force-9p",
        *(["--disable-kvm"] if accelerator == "tcg" else []),
        "--disable-monitor",
        "--cpus",
        str(declared.cpus),
        "--memory",
        f"{declared.memory >> 20}M",
        f"--rwdir={GUEST}={SHARED}",
        f"--rodir={_GUEST_MODULES}={MODULES}",
        "--append",
        f"module_blacklist={_NOT_LOADED}",
        "--append",
        "oops=panic",
        f"--qemu-opts={shlex.join(options)}",
        "--exec",
        f"ln -sfn {_GUEST_MODULES} /lib/modules/{kernel.release} && sh {GUEST}/start",
    ]


def _launch(argv: list[str], folder: Path, log: Path, secret: str) -> programs.Process:
    """Start it in a session of its own, so that it outlives this process and gets no Ctrl-C.

    virtme-ng finds the programs that it starts in a folder with links to the declared ones.
    """
    places = os.pathsep.join([str(Path(sys.executable).parent), str(programs.link_all(folder / "programs"))])
    environment = {
        "LC_ALL": "C",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "PATH": places,
        "PYTHONSAFEPATH": "1",
        processes.SECRET: secret,
    }
    with log.open("wb") as output:
        return programs.start(argv, cwd=folder, env=environment, stdout=output, stderr=output, start_new_session=True)


def _wait(machine: Machine, shared: Path, seconds: float) -> None:
    give_up = time.monotonic() + seconds
    while not exchange.listens(shared):
        if not machine.alive():
            raise Failed(f"the virtual machine ended while it booted: {last_console_lines(Path(machine.log))}")
        if time.monotonic() > give_up:
            raise Failed(
                f"the virtual machine was not ready after {seconds:g} s: {last_console_lines(Path(machine.log))}"
            )
        with interruptible():
            time.sleep(0.1)
