"""Factor `copies`: how many copies of the data the filesystem keeps, and on how many devices."""

from typing import Any

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.families.factors.factor import Choice, Factor
from spindlemark.families.factors.filesystem import FILESYSTEM

ONE, DUP, RAID1 = "one", "dup", "raid1"
DEVICES = {ONE: 1, DUP: 1, RAID1: 2}
# Options of mkfs.btrfs. `one` has its defaults for one device: one copy of data and two of metadata.
_BTRFS = {
    ONE: ["-d", "single", "-m", "dup"],
    DUP: ["-d", "dup", "-m", "dup"],
    RAID1: ["-d", "raid1", "-m", "raid1"],
}
_KINDS = ("loop", "ram")


class CopiesFactor(Factor):
    """One copy of the data, two on one device, or one on each of two devices."""

    name = "copies"

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Name, number of devices and options of mkfs; raises UserError where the filesystem or testbed has none of it."""
        name = choice.value(self.name)
        config.choose(DEVICES, name, self.name, choice.where)
        filesystem = FILESYSTEM.part(choice.value(FILESYSTEM.name)).value
        if filesystem != "btrfs" and name != ONE:
            raise UserError(
                f"{choice.where}: sets: factors: copies: {filesystem} has one copy of the data, and not {name!r}",
                "put btrfs in a set of its own, or choose copies: [one]",
            )
        require_image(choice.testbed.kind, choice.where)
        return {"name": name, "devices": DEVICES[name], "mkfs": _BTRFS[name] if filesystem == "btrfs" else []}


def require_image(kind: str, where: str) -> None:
    """Raise UserError for a testbed that is not an image file: faults are only injected into images of this program."""
    if kind not in _KINDS:
        raise UserError(
            f"{where}: faults are injected into image files only, and not on a testbed of kind {kind}",
            "name another one in the set, for example testbeds: [loop]",
        )


COPIES = CopiesFactor()
