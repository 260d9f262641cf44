"""Checks of the machine: loop devices, space, memory, processor, background load, virtualisation."""

import os
import shutil
from pathlib import Path

from spindlemark.cli.doctor.row import Row, first_line, gibibytes
from spindlemark.config import DiskModelTestbed, LoopTestbed, ProcessorTestbed, Profile, RamTestbed, Registry
from spindlemark.core.paths import ROOT
from spindlemark.core.space import capacity, required_free
from spindlemark.families.shared import media
from spindlemark.testbeds.computer import cpu_model

LOOP_CONTROL = Path("/dev/loop-control")
KVM = Path("/dev/kvm")
CPUS = Path("/sys/devices/system/cpu")


def loop_devices(control: Path = LOOP_CONTROL) -> Row:
    """Whether loop devices can be attached here."""
    if not control.exists():
        return Row("loop devices", False, f"{control} is absent", "load them with: modprobe loop")
    if not os.access(control, os.R_OK | os.W_OK):
        return Row("loop devices", False, f"{control} may not be used", "measure as root")
    return Row("loop devices", True, "can be attached")


def image_space(registry: Registry) -> list[Row]:
    """Per profile, whether the image fits into the folder of the chosen testbed."""
    testbed = registry.testbeds[registry.config.testbed]
    if not isinstance(testbed, LoopTestbed):  # others need no further space
        return []
    folder = _existing(ROOT / testbed.directory)
    free = shutil.disk_usage(folder).free
    return [
        _fits(f"disk space for profile {name}", profile.image_size, free, folder)
        for name, profile in registry.profiles.items()
    ]


def source_memory(registry: Registry) -> list[Row]:
    """Per profile, whether its largest library fits into the folder (in memory) where the chosen testbed keeps sources."""
    folder = _existing(Path(registry.testbeds[registry.config.testbed].source_directory))
    free = capacity(folder)[0]
    return [
        _fits(f"memory for libraries of profile {name}", _largest(registry, profile), free, folder)
        for name, profile in registry.profiles.items()
    ]


def memory_images(registry: Registry) -> list[Row]:
    """Per profile, whether image and largest library of the testbeds in memory fit, without the part that stays free.

    A sparse image takes the same memory with each profile: see `work_memory`.
    """
    beds: dict[str, RamTestbed | DiskModelTestbed] = {
        name: bed
        for name, bed in registry.testbeds.items()
        if isinstance(bed, DiskModelTestbed) or (isinstance(bed, RamTestbed) and not bed.sparse_memory)
    }
    if not beds:
        return []
    folder = _existing(Path(next(iter(beds.values())).memory))
    free = capacity(folder)[0] - required_free(folder)
    return [
        _fits(
            f"memory for {', '.join(beds)} of profile {name}",
            max(part.image_size + _largest(registry, part) for part in map(profile.on, beds)),
            free,
            folder,
        )
        for name, profile in registry.profiles.items()
    ]


def work_memory(registry: Registry) -> list[Row]:
    """Per testbed without a device or with a sparse one, whether its largest use fits into memory, without the part that
    stays free.
    """
    found = []
    for name, bed in registry.testbeds.items():
        if isinstance(bed, ProcessorTestbed):
            needed = max(bed.image_size or part.on(name).image_size for part in registry.profiles.values())
        elif isinstance(bed, RamTestbed) and bed.sparse_memory:
            needed = bed.sparse_memory
        else:
            continue
        folder = _existing(Path(bed.memory))
        found.append(_fits(f"memory for {name}", needed, capacity(folder)[0] - required_free(folder), folder))
    return found


def processor() -> Row:
    """Model and number of the processors that this process may use."""
    return Row("processor", True, f"{len(os.sched_getaffinity(0))} x {cpu_model()}")


def background_load(registry: Registry) -> Row:
    """Load of the last minute and the testbed's limit: a busy machine gives wide intervals."""
    load, cpus = os.getloadavg()[0], os.cpu_count() or 1
    busy = load > registry.testbeds[registry.config.testbed].busy_bound * cpus
    return Row(
        "background load",
        not busy,
        f"{load:.2f} on {cpus} processors",
        "stop other work while measuring, or expect wide intervals" if busy else "",
    )


def governor(cpus: Path = CPUS) -> Row:
    """Frequency governor; one that saves power makes short steps vary."""
    found = sorted({path.read_text().strip() for path in cpus.glob("cpu*/cpufreq/scaling_governor")})
    if not found:
        return Row("frequency governor", True, "not visible here")
    steady = found == ["performance"]
    return Row(
        "frequency governor",
        steady,
        ", ".join(found),
        "" if steady else "for less variation: cpupower frequency-set --governor performance",
    )


def virtualisation() -> Row:
    """Kind of virtual machine or container; each record contains it."""
    seen = [first_line(["systemd-detect-virt", part]) for part in ("--vm", "--container")]
    kinds = [kind for kind in seen if kind not in ("", "none")]
    if not kinds and " hypervisor" in Path("/proc/cpuinfo").read_text():
        kinds = ["a virtual machine"]
    return Row("virtualisation", True, ", ".join(kinds) or "none found")


def kvm(device: Path = KVM) -> Row:
    """KVM, which speeds up the virtual machines for filesystems that the running kernel lacks."""
    if not device.exists():
        return Row("KVM", False, f"{device} is absent", "only needed for filesystems that this kernel lacks")
    usable = os.access(device, os.R_OK | os.W_OK)
    return Row(
        "KVM",
        usable,
        "device present; only starting a guest shows whether it works" if usable else f"{device} may not be used",
        "" if usable else "join the group kvm, or run as root",
    )


def _fits(what: str, needed: float, free: float, folder: Path) -> Row:
    ok = needed <= free
    return Row(
        what,
        ok,
        f"{gibibytes(needed)} needed, {gibibytes(free)} free in {folder}",
        "" if ok else f"free {gibibytes(needed - free)}, or choose another folder in config/testbeds/",
    )


def _largest(registry: Registry, profile: Profile) -> int:
    return max(
        media.resolve(name, registry.libraries[name], scale, profile.content, registry.config.seed)["total"]
        for name, scale in profile.libraries.items()
        if not registry.libraries[name].series_of  # only disks hold those
    )


def _existing(folder: Path) -> Path:
    """The folder, or its nearest parent that exists: the filesystem whose space would be used."""
    return next(path for path in (folder, *folder.parents) if path.exists())
