"""Notes of one run: what broke on which testbed, what was set aside, what will be unsupported. One file per testbed.

A result says what a subject did. What the harness did, or what was done to it, is no result: it stands here, later jobs
of the run heed it, and the run ends with it.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from spindlemark.core import atomic_write
from spindlemark.core.record import Closed


class Breakage(Closed):
    """A repetition that broke: `how` it did, which tells whether another one broke in the same way."""

    job: str
    how: str


class Aside(Closed):
    """Why nothing more is measured on a testbed in this run."""

    problem: str
    remedy: str
    mendable: bool  # by the user: it was refused, and did not break


class Bed(Closed):
    """All that was noted of a testbed."""

    aside: Aside | None = None
    broken: list[Breakage] = []
    lacks: list[str] = []  # what will be unsupported, in words


class Notes:
    """The notes in `folder`, which is the run's own. Jobs run one after another, so nobody else writes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._folder = folder / "testbeds"

    def of(self, testbed: str) -> Bed:
        """What was noted of a testbed; nothing where the note is not there or damaged."""
        try:
            return Bed.model_validate_json(self._file(testbed).read_bytes())
        except (OSError, ValidationError):
            return Bed()

    def everything(self) -> dict[str, Bed]:
        """All testbeds of which something was noted."""
        return {file.stem: self.of(file.stem) for file in sorted(self._folder.glob("*.json"))}

    def lacks(self, testbed: str, what: list[str]) -> None:
        """Note what a trial found to be unsupported."""
        self._write(testbed, self.of(testbed).model_copy(update={"lacks": what}))

    def set_aside(self, testbed: str, aside: Aside) -> None:
        """Nothing more is to be measured on the testbed in this run."""
        self._write(testbed, self.of(testbed).model_copy(update={"aside": aside}))

    def broke(self, testbed: str, job: str, error: BaseException) -> bool:
        """Note a breakage; returns whether the testbed had broken in the same way before."""
        found, how = self.of(testbed), manner(error)
        self._write(testbed, found.model_copy(update={"broken": [*found.broken, Breakage(job=job, how=how)]}))
        return any(breakage.how == how for breakage in found.broken)

    def lines(self) -> Iterator[str]:
        """What was not measured and why, for people."""
        for testbed, bed in self.everything().items():
            if bed.aside:
                yield f"Testbed {testbed} was set aside: {bed.aside.problem}\n  {bed.aside.remedy}"
            for breakage in {} if bed.aside else {b.job: b for b in bed.broken}.values():
                yield f"{breakage.job} on testbed {testbed} was not measured, since the harness broke: {breakage.how}"

    def _file(self, testbed: str) -> Path:
        return self._folder / f"{testbed}.json"

    def _write(self, testbed: str, bed: Bed) -> None:
        atomic_write.write(self._file(testbed), bed.model_dump_json())


def manner(error: BaseException) -> str:
    """How something broke, without the numbers and names that differ from time to time."""
    said = re.sub(r"\b(0x)?[0-9a-f]*\d[0-9a-f]*\b", "#", " ".join(str(error).split()))
    return f"{type(error).__name__}: {said[:300]}"
