"""Settings of the kernel that a testbed (or memory.py) changes and restores, also after a crash.

The old value is noted before a change, in a file that only root can write and that lasts until the next boot.
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
    """Write a setting of the kernel, and note the old value. Raises OSError when the kernel does not accept it."""
    private_files.write_note(_note(testbed), {str(file): before} | private_files.read_note(_note(testbed)))
    file.write_text(text)


def changed(testbed: str) -> dict[str, str]:
    """The settings that `change` changed and that are not restored yet: file -> value before."""
    return private_files.read_note(_note(testbed))


def restore(testbed: str) -> None:
    """Restore the settings, the last change first. Files that do not exist any more are ignored."""
    for file, before in changed(testbed).items():
        with suppress(FileNotFoundError):
            Path(file).write_text(before)
    private_files.remove_note(_note(testbed))


def _chosen(file: Path) -> str:
    """The scheduler in brackets, or the only one."""
    words = file.read_text().split()
    return next((word.strip("[]") for word in words if word.startswith("[")), words[0])


def _note(testbed: str) -> str:
    return f"settings-{testbed}"
