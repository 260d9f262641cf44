"""Factor `copies`: how many copies of the data the filesystem keeps, on how many devices, and what is below it."""

from typing import Any

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.families.factors.factor import Choice, Factor
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.integrity import dm_integrity, zfs_pool

ONE, DUP, RAID1, DM_INTEGRITY = "one", "dup", "raid1", "dm-integrity"
DEVICES = {ONE: 1, DUP: 1, RAID1: 2, DM_INTEGRITY: 1}
BTRFS, F2FS, ZFS = "btrfs", "f2fs", "zfs"
VM = "vm"
# What follows the command that makes the filesystem. `one` has the defaults for one device: one copy of data, more of metadata.
_MKFS = {
    BTRFS: {
        ONE: ["-d", "single", "-m", "dup"],
        DUP: ["-d", "dup", "-m", "dup"],
        RAID1: ["-d", "raid1", "-m", "raid1"],
    },
    ZFS: {
        ONE: [zfs_pool.POOL],
        DUP: ["-O", "copies=2", zfs_pool.POOL],
        RAID1: [zfs_pool.POOL, "mirror"],
    },
}
_KINDS = ("loop", "ram", VM)


class CopiesFactor(Factor):
    """One copy of the data, two on one device, one on each of two devices, or one with checksums below the filesystem."""

    name = "copies"

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Name, number of devices and options of mkfs; raises UserError where the filesystem or testbed has none of it."""
        name = choice.value(self.name)
        config.choose(DEVICES, name, self.name, choice.where)
        filesystem = FILESYSTEM.part(choice.value(FILESYSTEM.name)).value
        options = _MKFS.get(filesystem, {ONE: [], DM_INTEGRITY: []})
        if name not in options:
            raise UserError(
                f"{choice.where}: sets: factors: copies: {filesystem} cannot be measured with {name!r}",
                f"choose copies: [one]; {DUP} and {RAID1} are for btrfs and zfs, {DM_INTEGRITY} for the others",
            )
        require_image(choice.testbed.kind, choice.where)
        if choice.testbed.kind != VM and (name == DM_INTEGRITY or filesystem == ZFS):
            raise UserError(
                f"{choice.where}: sets: factors: copies: {filesystem} with {name!r} is measured in a virtual machine only, "
                "since a kill would leave a device or pool that the kernel holds",
                "name one in the set: testbeds: [vm]",
            )
        return {"name": name, "devices": DEVICES[name], "mkfs": options[name]}

    def tools(self, value: dict[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
        """The package of dm-integrity's program, where it is below the filesystem."""
        return {dm_integrity.PACKAGE: dm_integrity.VERSION} if value["name"] == DM_INTEGRITY else {}


def require_image(kind: str, where: str) -> None:
    """Raise UserError for a testbed that is not an image file: faults are only injected into images of this program."""
    if kind not in _KINDS:
        raise UserError(
            f"{where}: faults are injected into image files only, and not on a testbed of kind {kind}",
            "name another one in the set, for example testbeds: [loop]",
        )


COPIES = CopiesFactor()
