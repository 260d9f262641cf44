"""Verification of an edit by the package's tools, not by the library that edited.

What each of them sees, and what not: `h5dump -A` all attributes and shapes, and no value of a dataset; `h5diff` values of
datasets and of attributes that both files have, and not which attribute one of them lacks; `h5stat` that all metadata can be
walked through; `h5repack` that all data can be read; `h5clear` sets flags of the newer formats back, and should find nothing to.
"""

from collections.abc import Sequence
from pathlib import Path

from spindlemark.harness.repetition import Repetition

PACKAGE = "hdf5-tools"
TOOLS = ("h5dump", "h5diff", "h5stat", "h5repack", "h5clear")
_SHOWN = 'ATTRIBUTE "{}"'


def ask(repetition: Repetition, before: Path, after: Path, created: Sequence[str], work: Path, limit: float) -> None:
    """Gates on the edited file `after`, against a copy from before; raises Invalid where one does not hold."""
    for argv in (["h5stat", after], ["h5repack", after, work / "repacked.h5"], ["h5clear", "-s", after]):
        done = repetition.run([str(word) for word in argv], limit, accept=range(256))
        repetition.require(
            "content", done.exit_code == 0, done.exit_code, 0, "1", f"exit code of {argv[0]} on the edited file"
        )
    # It ends with 1 and no word where only one file has an attribute, and names what both have and what differs.
    done = repetition.run(["h5diff", str(before), str(after)], limit, accept=(0, 1))
    named = len(done.stdout.split("\n")) - 1
    repetition.require(
        "content", named == 0, named, 0, "1", "lines of h5diff on what differs, of all that both files have"
    )
    size = (work / "repacked.h5").stat().st_size
    (work / "repacked.h5").unlink()
    repetition.require(
        "content",
        size >= 0.9 * before.stat().st_size,
        size,
        before.stat().st_size,
        "B",
        "bytes of the repacked file, which holds all data, against those of the file",
    )
    _require_created(repetition, after, created, work, limit)


def _require_created(repetition: Repetition, after: Path, created: Sequence[str], work: Path, limit: float) -> None:
    """Every command's attribute, seen by h5dump; what it prints goes into a file, since it may be long."""
    dump = work / "dump"
    repetition.run(["h5dump", "-A", "-O", str(dump), str(after)], limit)
    text = dump.read_text(errors="replace")
    seen = sum(_SHOWN.format(name) in text for name in created)
    repetition.require(
        "completeness", seen == len(created), seen, len(created), "1", "attributes of the commands that h5dump -A shows"
    )
