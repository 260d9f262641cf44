"""Write a library. Python only says what goes where; the kernel copies the bytes, outside the interpreter lock."""

import errno
import itertools
import os
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from spindlemark.core import space
from spindlemark.core.errors import UserError
from spindlemark.families.shared.media import file_content, library_space
from spindlemark.families.shared.media.file_sizes import sizes
from spindlemark.families.shared.media.library_tree import Tree, tree

# Files at least this large on average are shared out one by one, smaller ones by whole folders.
LARGE = 1 << 20
# Folders that one thread takes at a time.
FOLDERS_AT_ONCE = 16
THREADS = min(4, len(os.sched_getaffinity(0)))


def partial(folder: Path) -> Path:
    """The name under which `folder` grows; what bears it was never finished."""
    return folder.parent / f".{folder.name}.spindlemark-partial"


def generate(library: dict[str, Any], folder: Path) -> None:
    """Write the library with these resolved factors as `folder`, which must not exist or be empty.

    It grows under another name and is renamed when complete, so a folder called `folder` is always whole. Raises
    UserError when there is no room or when something is in the way.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder}: is not empty", "delete it: a library is only written to a new folder")
    growing = partial(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    if growing.is_dir() and not growing.is_symlink():
        shutil.rmtree(growing)
    library_space.require(library, folder.parent)
    try:
        growing.mkdir()
        _write(library, os.fsencode(growing))
        growing.rename(folder)
    except BaseException as error:
        short = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        free = space.capacity(folder.parent)[0]
        shutil.rmtree(growing, ignore_errors=True)
        if short:
            raise library_space.no_space(library, folder.parent, library_space.needed_bytes(library), free) from error
        raise


def _write(library: dict[str, Any], root: bytes) -> None:
    lengths, layout = sizes(library), tree(library)
    for directory in layout.directories:
        os.mkdir(b"%s/%s" % (root, directory))  # noqa: PTH102  # bytes
    job = _Job(root, layout, lengths, file_content.starts(lengths), memoryview(file_content.block(library)))
    large = library["total"] >= LARGE * library["files"]
    if large:
        # Readers list a folder in the order of creation: keep it the same however the threads take turns.
        for path in layout.paths(range(len(lengths))):
            os.close(os.open(b"%s/%s" % (root, path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
    job.run(_single(lengths) if large else _by_folder(layout.owner))


def _single(lengths: np.ndarray) -> list[range]:
    """One share for each file, the largest first, so that the threads end together."""
    return [range(file, file + 1) for file in np.argsort(-lengths, kind="stable").tolist()]


def _by_folder(owner: np.ndarray) -> list[range]:
    """Shares of whole folders: no two threads create files in the same one."""
    group = owner // FOLDERS_AT_ONCE
    edges = [0, *(np.flatnonzero(np.diff(group)) + 1).tolist(), len(owner)]
    return [range(a, b) for a, b in itertools.pairwise(edges)]


class _Job:
    """The files to write, shared between threads."""

    def __init__(self, root: bytes, layout: Tree, lengths: np.ndarray, starts: np.ndarray, data: memoryview) -> None:
        self.root, self.layout, self.data = root, layout, data
        self.lengths, self.starts = lengths, starts
        self.stop = threading.Event()

    def run(self, shares: list[range]) -> None:
        """Write all shares; the first error of a thread stops the others and is raised here."""
        queue = iter(shares)  # a list's iterator hands each share out once, to whichever thread asks
        with ThreadPoolExecutor(THREADS) as pool:
            try:
                for done in [pool.submit(self._work, queue) for _ in range(THREADS)]:
                    done.result()
            finally:
                self.stop.set()

    def _work(self, queue: Iterator[range]) -> None:
        try:
            for share in queue:
                lengths = self.lengths[share.start : share.stop].tolist()
                starts = self.starts[share.start : share.stop].tolist()
                for path, length, start in zip(self.layout.paths(share), lengths, starts, strict=True):
                    self._file(b"%s/%s" % (self.root, path), length, start)
        except BaseException:
            self.stop.set()
            raise

    def _file(self, path: bytes, length: int, start: int) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            while length:
                if self.stop.is_set():
                    return
                written = os.write(descriptor, self.data[start : start + length])
                length -= written
                start = (start + written) % file_content.PERIOD
        finally:
            os.close(descriptor)
