"""Settings of the kernel that a testbed (or memory.py) changes, and puts back, after a crash too.

What was there before is noted where only root can write, until the machine's next start, before anything is changed.
"""

from contextlib import suppress
from pathlib import Path

from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.testbeds import disk


def set_scheduler(testbed: str, name: str, scheduler: str) -> None:
    """Choose the I/O scheduler of a disk; raises UserError when this kernel does not offer it."""
    file = disk.sysfs_of(name) / "queue" / "scheduler"
    before = _chosen(file)
    if before == scheduler:
        return
    try:
        change(testbed, file, scheduler, before)
    except OSError:
        raise UserError(
            f"testbed {testbed}: scheduler: this kernel does not offer {scheduler} for {name}",
            f"choose one of: {file.read_text().strip()}",
        ) from None


def change(testbed: str, file: Path, text: str, before: str) -> None:
    """Write a setting of the kernel, and note what undoes it. Raises OSError when the kernel does not take it."""
    private_files.write_note(_note(testbed), {str(file): before} | private_files.read_note(_note(testbed)))
    file.write_text(text)


def changed(testbed: str) -> dict[str, str]:
    """What `change` changed and is not put back: file -> what it said before."""
    return private_files.read_note(_note(testbed))


def put_back(testbed: str) -> None:
    """Undo what `change` did, the last change first. What is gone needs nothing."""
    for file, before in changed(testbed).items():
        with suppress(FileNotFoundError):
            Path(file).write_text(before)
    private_files.remove_note(_note(testbed))


def _chosen(file: Path) -> str:
    """The scheduler in brackets; a queue without a choice has only one word."""
    words = file.read_text().split()
    return next((word.strip("[]") for word in words if word.startswith("[")), words[0])


def _note(testbed: str) -> str:
    return f"settings-{testbed}"
