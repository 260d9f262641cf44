"""Settings of the kernel that a testbed changes on a disk or a loop device, and puts back, after a crash too.

What was there before is noted in /run, which forgets it with the kernel at the next start, before anything is changed.
"""

import json
from contextlib import suppress
from pathlib import Path

from spindlemark import written
from spindlemark.errors import UserError
from spindlemark.testbeds import disk

FOLDER = Path("/run/spindlemark")


def set_scheduler(testbed: str, name: str, scheduler: str) -> None:
    """Choose the I/O scheduler of a disk; raises UserError when this kernel does not offer it."""
    file = disk.sysfs_of(name) / "queue" / "scheduler"
    before = _chosen(file)
    if before == scheduler:
        return
    try:
        change(testbed, file, scheduler, before)
    except OSError:
        raise UserError(f"testbed {testbed}: scheduler: this kernel does not offer {scheduler} for {name}",
                        f"choose one of: {file.read_text().strip()}") from None


def change(testbed: str, file: Path, text: str, before: str) -> None:
    """Write a setting of the kernel, and note what undoes it. Raises OSError when the kernel does not take it."""
    written.write(FOLDER / f"{testbed}.json", json.dumps({str(file): before} | _noted(testbed)))
    file.write_text(text)


def put_back(testbed: str) -> None:
    """Undo what `change` did, the last change first. What is gone needs nothing."""
    for file, before in _noted(testbed).items():
        with suppress(FileNotFoundError):
            Path(file).write_text(before)
    (FOLDER / f"{testbed}.json").unlink(missing_ok=True)


def _chosen(file: Path) -> str:
    """The scheduler in brackets; a queue without a choice has only one word."""
    words = file.read_text().split()
    return next((word.strip("[]") for word in words if word.startswith("[")), words[0])


def _noted(testbed: str) -> dict[str, str]:
    try:
        return json.loads((FOLDER / f"{testbed}.json").read_text())
    except (FileNotFoundError, ValueError):
        return {}
