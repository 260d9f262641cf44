"""Folders of root that nobody else can write to: what is kept of a machine beside any project on it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.errors import UserError

RUN = Path("/run/spindlemark")  # forgotten with the kernel
STATE = Path("/var/lib/spindlemark")  # kept


def folder(path: Path, mode: int = 0o755) -> Path:
    """The folder, made unless it is there; raises UserError when somebody else owns it or can write to it."""
    path.mkdir(mode=mode, parents=True, exist_ok=True)
    with opened(path):
        return path


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A descriptor of the folder, which is ours alone to change; raises UserError when it is not, or a link.

    Owner and mode are those of what was opened, so that nothing put in its place meanwhile is taken for it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise UserError(f"{path}: is no folder of this program's: {error.strerror}", "move it away") from None
    try:
        stat = os.fstat(descriptor)
        if stat.st_uid != os.geteuid() or stat.st_mode & 0o022:
            raise UserError(f"{path}: belongs to somebody else, or others can write to it",
                            "move it away, or change its owner and mode")
        yield descriptor
    finally:
        os.close(descriptor)
