"""A folder that is built next to the old one and replaces it when complete; trees of hard links."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def swapped(output: Path) -> Iterator[Path]:
    """Yield an empty folder that replaces `output` at the end; on any error `output` stays as it was."""
    output.parent.mkdir(parents=True, exist_ok=True)
    fresh, old = (output.with_name(f".{output.name}.{part}") for part in ("partial", "old"))
    if old.exists() and not output.exists():  # killed between the two renames
        old.rename(output)
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir()
    try:
        yield fresh
        if output.exists():
            output.rename(old)
        fresh.rename(output)
    finally:
        for leftover in (fresh, old):
            shutil.rmtree(leftover, ignore_errors=True)


def linked(folder: Path, target: Path) -> None:
    """Put all files of `folder` below `target` too: as hard links, because each build replaces both, or as copies."""
    shutil.copytree(folder, target, copy_function=link, dirs_exist_ok=True)


def link(source: str, target: str) -> None:
    """Link a file to a second place; copy it if the filesystem cannot link it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
