"""Family `integrity`: is a damaged block noticed, and can it be repaired?

Decisions, with their reasons:

- Faults are injected below the filesystem, into images in memory that this program makes and throws away. Neither the
  testbed's device nor any disk gets one, and disks are refused as testbeds (copies_factor.py).
- What a filesystem does with a damaged block depends neither on the size nor on the speed of the disk. So the disks are
  small, and hundreds of faults take minutes.
- Faults in data are in different files and are tried together: none can hide another. Each fault in metadata is tried
  alone, on a copy of the undamaged disks.
- Places are found by content (places.py), by one method for all filesystems.
- The order is that of a careful operator: mount, read everything, scrub, check, repair, mount and read everything again.
- Outcomes that are known by design are gates: a repetition that contradicts them shows an error of this program.
- Each repetition has other places, from seed and repetition, the same number for all configurations.
"""

import os
from typing import Any

from pydantic import Field

from spindlemark.core.outcome import Unsupported
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.integrity import disks, dm_integrity, faults, outcomes, places, tree, trial, zfs_pool
from spindlemark.families.integrity.copies_factor import (
    BTRFS,
    COPIES,
    DM_INTEGRITY,
    DUP,
    F2FS,
    RAID1,
    ZFS,
    require_image,
)
from spindlemark.families.integrity.faults import Fault
from spindlemark.families.integrity.integrity_metrics import FAULTS, METRICS, NOTICED, SHARES, WRONG_READ, outcome_count
from spindlemark.families.integrity.trial import Disk, Seen
from spindlemark.families.shared.choices import require_known
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import kernel_modules, recorded

DATA, METADATA = PLACES = ("data", "metadata")
SEED = 20261126
DISK_BYTES = (
    512 << 20
)  # smaller ones get other defaults: mkfs.ext4 makes blocks of 1 KiB, and mkfs.xfs refuses less than 300 MiB
LIMIT_SECONDS = 120.0
_TOOLS = {
    "ext4": ("debugfs", "e2fsprogs"),
    "xfs": ("xfs_db", "xfsprogs"),
    BTRFS: ("btrfs", "btrfs-progs"),
    F2FS: ("dump.f2fs", "f2fs-tools"),
    ZFS: ("zpool", "zfsutils-linux"),
}
_SECONDS = {DATA: 0.1, METADATA: 1.5}  # of one fault, a first guess


class Scale(Closed):
    """How many faults one repetition has, and how many files."""

    bits: int = Field(gt=0, description="flipped bits, of a repetition whose fault is `bit`")
    sectors: int = Field(gt=0, description="replaced blocks of 4096 bytes, of a repetition whose fault is `sector`")
    files: int = Field(gt=0, description="files of the library; a repetition with faults in data needs one for each")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Place, kind and number of the faults, and the disk; raises UserError for an unknown choice."""
    require_known(chosen, {"place": PLACES, "fault": faults.KINDS}, "integrity")
    count = scale.bits if chosen["fault"] == faults.BIT else scale.sectors
    return {
        "place": chosen["place"],
        "fault": chosen["fault"],
        "faults": count,
        "files": max(scale.files, count),
        "disk_bytes": DISK_BYTES,
        "seed": SEED,
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed of the device, which is not used."""
    return 10.0 + _SECONDS[factors["place"]] * factors["faults"], 0.0


def steps(repetition: Repetition) -> None:
    """Make the disks, damage copies of them, and count the outcomes."""
    _require(repetition)
    f, name = repetition.factors, repetition.spec.experiment.testbed
    room = 2 * f["copies"]["devices"] * f["disk_bytes"]
    with recorded.work_folder(room) as memory:
        images = disks.make(memory / "pristine", name, f["disk_bytes"], f["copies"]["devices"])
        disk = Disk(images, f, repetition.registry.filesystems[f["filesystem"]["name"]], memory, name)
        _fill(repetition, disk)
        chosen = faults.choose(
            _places(disk), f["fault"], f["faults"], f"{f['seed']} {f['place']} {f['fault']} {repetition.number}"
        )
        with repetition.step("faults", cold=False):
            _require_quiet(repetition, trial.run(disk, [], 0))
            batches = [chosen] if f["place"] == DATA else [[fault] for fault in chosen]
            tried = [(batch, trial.run(disk, batch, 1 + number)) for number, batch in enumerate(batches)]
        if disk.kind == BTRFS:
            disks.remove_scrub_notes(images[0])
    injected = sum(seen.injected for _, seen in tried)
    repetition.require(
        "completeness", injected == f["faults"], injected, f["faults"], "1", "blocks that a fault changed, read back"
    )
    _measure(repetition, tried)


def _require(repetition: Repetition) -> None:
    """Refuse testbeds that are not an image, and filesystems without a known check."""
    volume.require(repetition)
    require_image(repetition.declared.kind, "config/experiments/integrity.yaml")
    kind, place = repetition.factors["filesystem"]["name"], repetition.factors["place"]
    if kind not in (_TOOLS if place == DATA else places.KINDS):
        known = ", ".join(_TOOLS if place == DATA else places.KINDS)
        raise Unsupported(f"{kind}: its {place} cannot be damaged by this family, which knows those of {known}")
    tool, package = _TOOLS[kind]
    repetition.need_tools([tool], package)
    layered = repetition.factors["copies"]["name"] == DM_INTEGRITY
    if layered:
        repetition.need_tools([dm_integrity.PROGRAM], dm_integrity.PACKAGE)
    module = dm_integrity.MODULE if layered else kind
    if (layered or kind == ZFS) and not kernel_modules.loads_module(module):  # their programs do not load it
        raise Unsupported(f"kernel {os.uname().release} has no module {module}")


def _fill(repetition: Repetition, disk: Disk) -> None:
    """Make the filesystem on the disks and write the files."""
    if disk.layered:
        with disks.attached(disk.images) as (node,):
            dm_integrity.make(node, disk.testbed)
    with disk.attached(disk.images) as nodes:
        with repetition.step("format", cold=False), disk.claimed(nodes) as devices:
            words = [*repetition.factors["filesystem"]["mkfs"], *repetition.factors["copies"]["mkfs"]]
            repetition.run([*words, *devices], LIMIT_SECONDS)
            if disk.kind == ZFS:  # it imported the new pool
                zfs_pool.export()
        with disk.mounted(nodes) as ok:
            repetition.require("completeness", ok, int(ok), 1, "1", "mounts of the undamaged disks that succeed")
            tree.write(disk.point, repetition.factors["files"], repetition.factors["seed"])
        if disk.kind == BTRFS:
            disks.forget_btrfs(nodes)


def _places(disk: Disk) -> list[places.Place]:
    f = disk.factors
    if f["place"] == DATA:
        return places.of_data(disk.images, f["files"], f["seed"])
    return places.of_metadata(disk.images, f["files"], f["seed"], disk.kind)


def _require_quiet(repetition: Repetition, seen: Seen) -> None:
    """A trial without a fault must show nothing, or each outcome could be an error of this program."""
    whole = seen.reads[0] == seen.reads[1] == {"error": [], "missing": [], "different": [], "listing": 0}
    ok = whole and not seen.scrub and not any(seen.checks)
    repetition.require("content", ok, int(not ok), 0, "1", "errors that a trial without a fault shows")


def _measure(repetition: Repetition, tried: list[tuple[list[Fault], Seen]]) -> None:
    """Count the outcomes, compare them with those that are known, and keep each fault."""
    rows = [
        (fault, noticed, outcomes.outcome(seen, fault, noticed), outcomes.wrong_read(seen, at, fault))
        for batch, seen in tried
        for at, fault in enumerate(batch)
        for noticed in [outcomes.signals(seen, at, fault)]
    ]
    _require_known_truth(repetition, [(bool(noticed), outcome) for _, noticed, outcome, _ in rows])
    repetition.measure(FAULTS, len(rows))
    for name in outcomes.OUTCOMES:
        repetition.measure(outcome_count(name), sum(outcome == name for _, _, outcome, _ in rows))
    repetition.measure(NOTICED, sum(bool(noticed) for _, noticed, _, _ in rows))
    repetition.measure(WRONG_READ, sum(wrong for *_, wrong in rows))
    for name in SHARES:
        repetition.compute(name)
    repetition.attachments["faults"] = [
        {
            "image": fault.place.image,
            "block": fault.place.block,
            "file": fault.place.file,
            "bit": fault.bit,
            "noticed": noticed,
            "outcome": outcome,
            "wrong_read": wrong,
        }
        for fault, noticed, outcome, wrong in rows
    ]


def _require_known_truth(repetition: Repetition, found: list[tuple[bool, str]]) -> None:
    """Faults in data: btrfs, ZFS and dm-integrity notice all, the first two repair all with two copies, the others notice none."""
    f, copies = repetition.factors, repetition.factors["copies"]["name"]
    if f["place"] != DATA:
        return
    noticed = sum(seen for seen, _ in found)
    known = len(found) * (f["filesystem"]["name"] in (BTRFS, ZFS) or copies == DM_INTEGRITY)
    repetition.require("content", noticed == known, noticed, known, "1", "noticed faults in data, known by design")
    if copies in (DUP, RAID1):
        repaired = sum(outcome == outcomes.REPAIRED for _, outcome in found)
        repetition.require(
            "content", repaired == len(found), repaired, len(found), "1", "repaired faults in data, known by design"
        )


FAMILY = Family(
    method=1,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=(FILESYSTEM, COPIES, SCHEDULER),
    scale=Scale,
    factors=factors,
)
