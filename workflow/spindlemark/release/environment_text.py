"""Devices and machines of a release in one sentence, from the fingerprints and environments of its records."""

from spindlemark.analysis.findings.text import listed
from spindlemark.core.record import Record

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
# The kernel's names of disks show how they are attached, even if a disk reports no model.
DISKS = {
    "vd": "virtio disk",
    "xvd": "Xen disk",
    "nvme": "NVMe disk",
    "mmcblk": "memory card",
    "zram": "compressed memory",
}
KINDS = {
    "ram": ("file in memory", ""),
    "disk_model": ("model", " of a hard disk, not a real one"),
    "vm": ("disk image", " of a virtual machine"),
    "block": ("part", " of a disk"),
    "link": ("virtual network link", " between two network namespaces"),
    "nic": ("pair of network cards", ""),
    "processor": ("folder in memory", ", without a device"),
}
HYPERVISORS = {
    "kvm": "KVM",
    "qemu": "QEMU",
    "vmware": "VMware",
    "oracle": "VirtualBox",
    "microsoft": "Hyper-V",
    "xen": "Xen",
    "amazon": "Amazon Nitro",
    "google": "Google Compute Engine",
    "parallels": "Parallels",
}


def sentence(records: list[Record]) -> str:
    """List devices, machines and kernels of all records; those that differ only in size or kernel are combined."""
    found: dict[tuple[str, str, str], tuple[set[int], set[str]]] = {}
    for record in records:
        fingerprint = record.experiment.fingerprint
        sizes, kernels = found.setdefault((*_device(record), _machine(record)), (set(), set()))
        sizes.add(fingerprint["device"]["bytes"])
        kernels.add(fingerprint["kernel"])
    return "; ".join(
        f"{_sized(name, sizes)}{where}, {machine}, Linux {listed(sorted(kernels))}"
        for (name, where, machine), (sizes, kernels) in sorted(found.items())
    )


def _sized(name: str, sizes: set[int]) -> str:
    if sizes == {0}:
        return f"a {name}"
    if len(sizes) == 1:
        return f"a {size(*sizes)} {name}"
    what, place, memory = name.partition(" in ")
    return f"{what}s{place}{memory} of {listed([size(count) for count in sorted(sizes)])}"


def _device(record: Record) -> tuple[str, str]:
    """Return the kind of device and its details; its size can be inserted between the two."""
    device = record.experiment.fingerprint["device"]
    if device["kind"] != "loop":
        emulated = " with an emulated processor" if record.experiment.fingerprint["machine"].get("emulated") else ""
        name, where = KINDS.get(device["kind"], (device["kind"], ""))
        if isinstance(storage := device.get("storage"), dict):  # a network has the size of its disk
            name, where = (
                KINDS.get(storage["kind"], (f"{storage['kind']} device", ""))[0],
                f" served over a {name}{where}",
            )
        where += " with declared speed limits" if "throttle" in device else ""
        return name, f"{where}{emulated}"
    access = "direct I/O" if device.get("direct_io") else "through the page cache"
    backing = device.get("backing") or {}
    below = f" on {backing['filesystem']}" if backing.get("filesystem") else ""
    return "loop file", f" ({access}){below} on {_disk(record, backing)}"


def _disk(record: Record, backing: dict) -> str:
    name = str(record.environment.get("backing.disk") or "")
    kind = next((words for start, words in DISKS.items() if name.startswith(start)), None)
    model = backing.get("model")
    words = f"{kind or 'disk'} ({model})" if model else kind or "disk of unknown model"
    return f"a {size(backing['bytes'])} {words}" if backing.get("bytes") else f"a {words}"


def _machine(record: Record) -> str:
    machine = record.experiment.fingerprint["machine"]
    kind = str(record.environment.get("virtualisation") or "").lower()
    words = "machine" if kind in ("", "none") else f"virtual machine ({HYPERVISORS.get(kind, kind)})"
    return f"a {machine['cpus']}-core {words} with {machine['cpu']}"


def size(count: int) -> str:
    """Format bytes in the largest binary unit with a value of at least 1: 2 GiB, 251.9 GiB."""
    value, unit = float(count), 0
    while value >= 1024 and unit < len(UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.1f}".removesuffix(".0") + f" {UNITS[unit]}"
