"""Factor `readahead`: KiB that the kernel reads ahead of the storage of a network, as 128 or 1024; kernel: its own choice."""

import re

from spindlemark.config.links import KERNEL
from spindlemark.core.errors import UserError
from spindlemark.families.factors.factor import Choice, Factor, require_disk
from spindlemark.testbeds.kind import Settings

_KIBIBYTES = re.compile(r"[0-9]{1,6}")


class ReadaheadFactor(Factor):
    """KiB that the kernel reads ahead of the storage of a network, as 128 or 1024; kernel: its own choice."""

    name = "readahead"

    def resolve(self, choice: Choice) -> str:
        """Its value; raises UserError for a bad value, and without a disk to read from."""
        value = choice.chosen.get("readahead", KERNEL)
        if value != KERNEL:
            require_disk(choice, "readahead")
            if not _KIBIBYTES.fullmatch(value):
                raise UserError(
                    f"{choice.where}: readahead: {value!r} is not a number of KiB", f"write it as 128, or {KERNEL}"
                )
        return value

    def opening(self, value: str) -> Settings:
        """The readahead of the disk's queue and of the filesystem mounted from it."""
        return {"readahead": value}


READAHEAD = ReadaheadFactor()
