"""Conditions that all configurations of a group share, in words, and what they mean for the figures."""

import json
import shlex
from typing import Any

from spindlemark.analysis.format import number
from spindlemark.core.record import Scalar

LABELS = {
    "method": "Method",
    "kernel": "Kernel",
    "host": "Machine ID (anonymous)",
    "scheduler": "Scheduler",
    "files": "Files",
    "file_bytes": "Size of each file",
    "block_bytes": "Block size",
    "cache": "Page cache",
    "memory": "Memory of the commands, page cache included",
    "rate.name": "Rate",
    "rate.bytes_per_second": "Data rate of each stream",
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
    "device.throttle.read": "Read rate limited to",
    "device.throttle.write": "Write rate limited to",
    "device.throttle.read_requests": "Read requests limited to",
    "device.throttle.write_requests": "Write requests limited to",
    "device.product": "Modelled disk",
    "device.figures.version": "Version of the model",
    "device.figures.capacity": "Bytes of the modelled disk",
    "device.figures.tracks": "Tracks of a surface",
    "device.figures.track_bytes": "Average of a track",
    "device.figures.zones": "Zones",
    "device.figures.rate_ratio": "Innermost rate by outermost",
    "device.figures.revolution": "One revolution (s)",
    "device.figures.reads.single": "Seek of one track, reading (s)",
    "device.figures.reads.average": "Average seek, reading (s)",
    "device.figures.reads.full": "Full seek, reading (s)",
    "device.figures.writes.single": "Seek of one track, writing (s)",
    "device.figures.writes.average": "Average seek, writing (s)",
    "device.figures.writes.full": "Full seek, writing (s)",
    "device.figures.overhead": "Overhead of a command (s)",
    "device.figures.interface": "Interface (bytes per second)",
    "device.figures.cache": "Cache (bytes)",
    "device.figures.segments": "Segments of the cache",
    "device.figures.write_cache": "Write cache",
    "device.figures.cached_writes": "Pieces in the write cache",
    "device.figures.queue": "Commands that the disk sorts",
    "device.figures.ageing": "Weight of waiting",
    "device.figures.piece": "Largest write from the cache (bytes)",
    "device.figures.seed": "Seed of the angle",
    "device.backing.memory": "Stored in memory",
    "device.backing.filesystem": "Underlying filesystem",
    "device.backing.bytes": "Size of the underlying disk",
    "device.mtu": "MTU (unless varied)",
    "device.offloads": "Offloads (unless varied)",
    "device.link_rate": "Link rate (unless varied)",
    "device.delay": "Delay each way (unless varied)",
    "device.jitter": "Jitter (unless varied)",
    "device.loss": "Packet loss (unless varied)",
    "device.congestion": "Congestion control (unless varied)",
    "device.congestion_used": "Congestion control in use",
    "device.eee": "Energy-Efficient Ethernet (unless varied)",
    "device.name": "Device model",
    "delivery.name": "Delivery",
    "film": "Media set",
    "readahead": "Read-ahead (KiB)",
    "recordings": "Concurrent recordings",
    "viewers.film_seconds": "Length of an asset (s)",
    "viewers.film_bytes": "Size of an asset",
    "viewers.buffer_seconds": "Playback buffer of a client (s)",
    "viewers.most_viewers": "Largest number of clients tried",
    "viewers.overload_viewers": "Largest number of clients in the overload test",
    "viewers.resolution": "Resolution of the search (share)",
    "device.storage": "Disk of the server",
    "device.storage.kind": "Disk of the server",
    "device.limits.read": "Read rate limited to",
    "device.limits.write": "Write rate limited to",
    "device.limits.read_requests": "Read requests limited to",
    "device.limits.write_requests": "Write requests limited to",
    "default_scheduler": "Default I/O scheduler",
    "filesystem.name": "Filesystem",
    "filesystem.variant": "Variant of the filesystem",
    "filesystem.module": "Kernel module of the filesystem",
    "filesystem.mkfs": "Format command",
    "filesystem.mount": "Mount options",
    "filesystem.check": "Check command",
    "device.backing.model": "Model of the underlying disk",
    "device.backing.rotational": "Underlying disk is rotational",
}
RATES = ("bytes_per_second", "throttle.read", "throttle.write", "limits.read", "limits.write")
REQUESTS = ("_requests",)
TOOLS = "tools."
# (last part of the name, value) -> what it means for the figures.
MEANINGS = {
    ("kind", "loop"): "a file on this machine used as a disk; figures include the underlying filesystem and disk",
    ("kind", "ram"): "a file in this machine's memory used as a disk: the filesystem's own overhead, "
    "with no disk involved",
    ("kind", "disk_model"): "a model of a hard disk with the figures of its manual, whose content is in this machine's "
    "memory; it is not a real disk",
    ("kind", "vm"): "a disk image attached to a virtual machine",
    ("kind", "block"): "a whole disk, used directly",
    (
        "kind",
        "link",
    ): "two network namespaces on one machine, connected virtually: no physical network, and both ends share "
    "its processors",
    (
        "kind",
        "nic",
    ): "two network cards of this machine, connected by a cable or a switch; both ends share its processors",
    ("kind", "processor"): "none: processors and memory only",
    ("accelerator", "tcg"): "the virtual machine's processor is emulated in software: the order of results within one "
    "boot is meaningful, times are not",
    ("accelerator", "kvm"): "the virtual machine runs on the host's processor",
    ("emulated", True): "the order of results is meaningful, times are not",
    ("cache", "direct"): "bypassed",
    ("cache", "cached"): "used, as by most programs",
    ("direct_io", True): "the host's page cache is bypassed",
    ("direct_io", False): "the host's page cache is used",
}


def explained(conditions: dict[str, Scalar]) -> list[dict[str, str]]:
    """Label, value and, if the value needs one, its meaning; in the order of the conditions."""
    return [
        {
            "label": label(name),
            "value": plain_value(name, value),
            "meaning": MEANINGS.get((name.split(".")[-1], value), ""),
        }
        for name, value in conditions.items()
    ]


def label(name: str) -> str:
    """The title of a condition; of one without a title its name in words."""
    if name.startswith(TOOLS):
        return f"Version of {name.removeprefix(TOOLS)}"
    return LABELS.get(name) or name.replace(".", ": ").replace("_", " ").capitalize()


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
    if name == "memory" and not value:
        return "not limited"
    if isinstance(value, int | float) and (name == "memory" or name.endswith("bytes")):
        return number(value, "B")
    return shlex.join(_words(str(value))) if str(value).startswith("[") else str(value)


def _words(value: str) -> list[str]:
    """The words of a command, which a condition has as a JSON list; any other text is one word."""
    try:
        found = json.loads(value)
    except ValueError:
        return [value]
    return [str(word) for word in found] if isinstance(found, list) else [value]
