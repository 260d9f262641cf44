"""Testbed kind `vm`: a virtual machine that boots a packaged kernel with this host's userland and a disk of its own.

One boot serves many repetitions. The process of the first repetition starts the machine. Each one sends a request to the
agent inside, waits for the record, and leaves the machine waiting. `settle` ends a machine that hangs or died, `clean`
ends any.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from spindlemark.config import VmTestbed
from spindlemark.core.outcome import Unsupported
from spindlemark.testbeds import device
from spindlemark.testbeds.computer import Computer, cpu_model
from spindlemark.testbeds.kind import Kind, Remote, Settings
from spindlemark.testbeds.vm import accelerator, exchange, guest, machine, packages, vm_host

TOOLS = {"unshare": "util-linux", "fallocate": "util-linux"}


@cache
def computer(declared: VmTestbed) -> Computer:
    """The guest as a computer, without booting it; fetches the kernel if that was not done yet."""
    try:
        kernel = packages.fetch(declared.kernels, declared.kernel)
    except Unsupported:
        kernel = None  # the repetition will report the reason
    qemu = accelerator.qemu_version()
    chosen = accelerator.chosen(kernel) if kernel and qemu else None
    facts = {
        "cpu": cpu_model(),
        "cpus": declared.cpus,
        "memory_bytes": int(declared.memory),
        "host_cpus": os.cpu_count(),
        "accelerator": chosen,
        "emulated": chosen == "tcg",
        "qemu": qemu,
        "kernel_package": kernel.version if kernel else None,
    }
    return Computer(kernel.release if kernel else None, facts, kernel.has if kernel else lambda module: False)


def device_facts(declared: VmTestbed, size: int) -> dict[str, Any]:
    """The device part of the fingerprint: that of the image, as for a loop device."""
    return {
        "kind": "vm",
        "bytes": size,
        "direct_io": declared.direct_io,
        "backing": device.backing_identity(machine.directory_of(declared)),
    }


@contextmanager
def opened(name: str, declared: VmTestbed, size: int, settings: Settings, run: object) -> Iterator[guest.VmDevice]:
    """The disk, opened inside the guest."""
    with guest.opened(name, size, settings["scheduler"]) as found:
        yield found


def settle(name: str, declared: VmTestbed) -> None:
    """End a machine between repetitions, unless it is waiting for the next one."""
    found = machine.running(name, declared)
    shared = machine.folder_of(name, declared) / machine.SHARED
    if found is None or not found.alive() or not exchange.listens(shared) or exchange.busy(shared):
        machine.end(name, declared)


def clean(name: str, declared: VmTestbed) -> None:
    """End the machine and remove its disk, sockets and folder; the caller holds the testbed's lock."""
    machine.end(name, declared)


KIND = Kind(
    tools=TOOLS,
    opened=opened,
    clean=clean,
    device_facts=device_facts,
    settle=settle,
    computer=computer,
    remote=Remote(vm_host.measure, vm_host.trial),
)
