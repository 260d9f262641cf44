"""Conditions that all configurations of a group share, in words: what a testbed's facts mean for the figures."""

from typing import Any

from spindlemark.analysis.format import number
from spindlemark.core.record import Scalar

LABELS = {
    "method": "Method",
    "kernel": "Kernel",
    "host": "Machine (a hash that names nobody)",
    "scheduler": "Scheduler",
    "files": "Files",
    "file_bytes": "Size of each file",
    "block_bytes": "Written at a time",
    "cache": "Page cache",
    "rate.name": "Rate",
    "rate.bytes_per_second": "Bytes per second of each stream",
    "machine.cpu": "Processor",
    "machine.cpus": "CPUs",
    "machine.memory_bytes": "Memory",
    "machine.accelerator": "Accelerator",
    "machine.emulated": "Emulated",
    "machine.qemu": "QEMU",
    "machine.kernel_package": "Kernel package",
    "machine.host_cpus": "CPUs of the host",
    "device.kind": "Device",
    "device.bytes": "Device size",
    "device.direct_io": "Direct I/O",
    "device.model": "Disk model",
    "device.disk": "Disk",
    "device.disk_bytes": "Size of the whole disk",
    "device.throttle.read": "Reading held at",
    "device.throttle.write": "Writing held at",
    "device.throttle.read_requests": "Requests to read held at",
    "device.throttle.write_requests": "Requests to write held at",
    "device.backing.memory": "Lies in memory",
    "device.backing.filesystem": "Filesystem below",
    "device.backing.bytes": "Size of the disk below",
    "device.mtu": "MTU, unless it is varied",
    "device.offloads": "Offloads, unless varied",
    "device.link_rate": "Rate of the link, unless varied",
    "device.delay": "Delay each way, unless varied",
    "device.jitter": "Jitter, unless varied",
    "device.loss": "Packets lost, unless varied",
    "device.congestion": "Congestion control, unless varied",
    "device.congestion_used": "Congestion control of this machine",
    "device.eee": "Energy efficient Ethernet, unless varied",
    "device.name": "Device model",
    "delivery.name": "Delivery",
    "film": "Films of this set",
    "readahead": "Read ahead (KiB)",
    "recordings": "Recordings beside",
    "viewers.film_seconds": "Length of a film (s)",
    "viewers.film_bytes": "Size of a film",
    "viewers.buffer_seconds": "Buffer of a viewer (s)",
    "viewers.most_viewers": "Most viewers that are tried",
    "viewers.overload_viewers": "Viewers of the overload, at most",
    "viewers.resolution": "Largest number, to within a share of",
    "device.storage": "Disk of the server",
    "device.storage.kind": "Disk of the server",
    "device.backing.model": "Model of the disk below",
    "device.backing.rotational": "Disk below turns",
}
RATES = ("bytes_per_second", "throttle.read", "throttle.write")
REQUESTS = ("throttle.read_requests", "throttle.write_requests")
# (last part of the name, value) -> what it means for a reader of the figures.
MEANINGS = {
    ("kind", "loop"): "a file of this machine used as a disk; the filesystem and the disk below it both work",
    ("kind", "ram"): "a file in this machine's memory used as a disk: what the filesystem itself costs, "
    "without a disk's moods",
    ("kind", "vm"): "a disk image attached to a virtual machine",
    ("kind", "block"): "a whole disk, used directly",
    (
        "kind",
        "link",
    ): "two network namespaces of this machine joined by a pair of virtual cards: no wire, no switch and no "
    "card, and both ends share its processors",
    ("kind", "nic"): "two network cards of this machine, joined by a wire or a switch; both ends share its processors",
    ("kind", "processor"): "none: processors and memory alone",
    ("accelerator", "tcg"): "the virtual machine's processor is emulated in software: orders inside one boot mean "
    "something, seconds do not",
    ("accelerator", "kvm"): "the virtual machine runs on the host's processor",
    ("emulated", True): "orders, not seconds",
    ("cache", "direct"): "bypassed",
    ("cache", "cached"): "used, as most programs do",
    ("direct_io", True): "the host's page cache is bypassed",
    ("direct_io", False): "the host's page cache helps",
}


def explained(conditions: dict[str, Scalar]) -> list[dict[str, str]]:
    """label, value and, where the value needs one, its meaning; in the order of the conditions."""
    return [
        {
            "label": LABELS.get(name, name),
            "value": plain_value(name, value),
            "meaning": MEANINGS.get((name.split(".")[-1], value), ""),
        }
        for name, value in conditions.items()
    ]


def plain_value(name: str, value: Any) -> str:
    """A fact as text: bytes with their prefix, the rest in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "unknown"
    if isinstance(value, int | float) and name.endswith(REQUESTS):
        return f"{value:,} per second"
    if isinstance(value, int | float) and name.endswith(RATES):
        return number(value, "B/s")
    if isinstance(value, int | float) and name.endswith("bytes"):
        return number(value, "B")
    return str(value)
