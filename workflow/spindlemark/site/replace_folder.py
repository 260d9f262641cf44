"""A folder that is made again beside the old one and takes its place only when it is complete; trees by hard links."""

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
    """Put all files of `folder` below `target` too: hard links, because both are made again for each build; copies elsewhere."""
    shutil.copytree(folder, target, copy_function=link, dirs_exist_ok=True)


def link(source: str, target: str) -> None:
    """One file at a second place; a copy where the filesystem has no link for it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
