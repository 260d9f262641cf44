"""On what was measured: one sentence from the fingerprints and environments of the records."""

from spindlemark.record import Record

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
# Names that the kernel gives to disks say how they are attached, also where a disk tells no model.
DISKS = {"vd": "virtio disk", "xvd": "Xen disk", "nvme": "NVMe disk", "mmcblk": "memory card",
         "zram": "compressed memory"}
KINDS = {"vm": "disk image of a virtual machine", "block": "part of a disk"}
HYPERVISORS = {"kvm": "KVM", "qemu": "QEMU", "vmware": "VMware", "oracle": "VirtualBox", "microsoft": "Hyper-V",
               "xen": "Xen", "amazon": "Amazon Nitro", "google": "Google Compute Engine", "parallels": "Parallels"}


def sentence(records: list[Record]) -> str:
    """Device, machine and kernel of every record, each different one once, joined by semicolons."""
    return "; ".join(sorted({_one(record) for record in records}))


def _one(record: Record) -> str:
    fingerprint = record.experiment.fingerprint
    return f"{_device(record)}, {_machine(record)}, Linux {fingerprint['kernel']}"


def _device(record: Record) -> str:
    device = record.experiment.fingerprint["device"]
    if device["kind"] != "loop":
        emulated = " with an emulated processor" if record.experiment.fingerprint["machine"].get("emulated") else ""
        return f"a {size(device['bytes'])} {KINDS.get(device['kind'], device['kind'])}{emulated}"
    access = "direct I/O" if device.get("direct_io") else "through the page cache"
    backing = device.get("backing") or {}
    below = f" on {backing['filesystem']}" if backing.get("filesystem") else ""
    return f"a {size(device['bytes'])} loop file ({access}){below} on {_disk(record, backing)}"


def _disk(record: Record, backing: dict) -> str:
    name = str(record.environment.get("backing.disk") or "")
    kind = next((words for start, words in DISKS.items() if name.startswith(start)), None)
    model = backing.get("model")
    words = f"{kind or 'disk'} ({model})" if model else kind or "a disk that tells no model"
    if words.startswith("a "):
        return words
    return f"a {size(backing['bytes'])} {words}" if backing.get("bytes") else f"a {words}"


def _machine(record: Record) -> str:
    machine = record.experiment.fingerprint["machine"]
    kind = str(record.environment.get("virtualisation") or "").lower()
    words = "machine" if kind in ("", "none") else f"virtual machine ({HYPERVISORS.get(kind, kind)})"
    return f"a {machine['cpus']}-core {words} with {machine['cpu']}"


def size(count: int) -> str:
    """Bytes in the largest binary unit that leaves at least 1, whole numbers without decimals: 2 GiB, 251.9 GiB."""
    value, unit = float(count), 0
    while value >= 1024 and unit < len(UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.1f}".removesuffix(".0") + f" {UNITS[unit]}"
