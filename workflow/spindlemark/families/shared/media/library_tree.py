"""The directory tree of a library: nested folders and file names as such libraries have them."""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Naming:
    """How a kind of library names things. Numbers count siblings; the last folder form serves all deeper levels."""

    folders: tuple[tuple[str, int], ...]
    file: bytes
    extensions: tuple[bytes, ...]
    first: int = 1
    reels: bool = False


# An extension that is named twice is twice as frequent.
NAMINGS = {
    "picture": Naming(
        (("%d", 2004), ("Album-%02d", 1), ("Set-%02d", 1)),
        b"IMG_%04d.%s",
        (b"jpg", b"jpg", b"jpg", b"jpg", b"png", b"gif", b"tif"),
    ),
    "sound": Naming(
        (("Genre-%02d", 1), ("Artist-%02d", 1), ("Album-%02d", 1), ("Disc-%d", 1)),
        b"%02d-Track.%s",
        (b"mp3", b"mp3", b"m4a"),
    ),
    "video": Naming(
        (("Collection-%02d", 1), ("Series-%02d", 1), ("Season-%02d", 1)), b"Episode-%03d.%s", (b"mkv", b"mp4", b"avi")
    ),
    "video-hd": Naming((("Studio-%02d", 1), ("Film-%02d", 1), ("Extras-%02d", 1)), b"Title-%02d.%s", (b"mkv", b"m2ts")),
    # Reels count frames from one hour of timecode at 24 frames/s.
    "frames": Naming((("Reel-%02d", 1),), b"frame.%07d.%s", (b"dpx",), first=86400, reels=True),
}
OTHER = Naming((("Folder-%03d", 1),), b"file-%06d.%s", (b"bin",))
# Subfolders of a folder that has any: 1 to 15, so a hundred thousand folders are six levels deep.
MOST_SUBFOLDERS = 15


@dataclass(frozen=True)
class Tree:
    """Folders (relative paths, parents first) and, per file in order, the index of its folder (ascending)."""

    directories: list[bytes]
    owner: np.ndarray
    naming: Naming
    extension: np.ndarray

    @cached_property
    def number(self) -> np.ndarray:
        """Number of each file within its folder."""
        first = np.searchsorted(self.owner, self.owner)
        return self.naming.first + np.arange(len(self.owner)) - first

    def paths(self, files: range) -> list[bytes]:
        """Relative paths of consecutive files."""
        rows = (values[files.start : files.stop].tolist() for values in (self.owner, self.number, self.extension))
        form, directories, extensions = self.naming.file, self.directories, self.naming.extensions
        return [
            b"%s/%s" % (directories[owner], form % (number, extensions[extension]))
            for owner, number, extension in zip(*rows, strict=True)
        ]


def tree(library: dict[str, Any]) -> Tree:
    """The tree of a library with resolved factors; the same factors always give the same tree.

    Files fall into folders at random, so that some stay empty; the frames of a reel stay together.
    """
    naming = NAMINGS.get(library["name"], OTHER)
    files, directories = library["files"], library["directories"]
    rng = np.random.default_rng([library["seed"], 2])
    parents = np.zeros(directories, dtype=np.int64) if naming.reels else _parents(directories, rng)
    owner = np.arange(files) * directories // files if naming.reels else np.sort(rng.integers(0, directories, files))
    return Tree(_paths(parents, naming), owner, naming, rng.integers(0, len(naming.extensions), files))


def paths(library: dict[str, Any]) -> list[str]:
    """Relative paths of all files of a library, in the order of `file_sizes.sizes`."""
    return [os.fsdecode(path) for path in tree(library).paths(range(library["files"]))]


def _parents(directories: int, rng: np.random.Generator) -> np.ndarray:
    """For each folder, in breadth-first order, the number of its parent; 0 is the root, folder i has number i + 1."""
    children = rng.integers(1, MOST_SUBFOLDERS + 1, directories)
    return np.repeat(np.arange(directories), children)[:directories]


def _paths(parents: np.ndarray, naming: Naming) -> list[bytes]:
    siblings = np.arange(len(parents)) - np.searchsorted(parents, parents)
    paths, depths = [b""], [0]
    for parent, sibling in zip(parents.tolist(), siblings.tolist(), strict=True):
        form, first = naming.folders[min(depths[parent], len(naming.folders) - 1)]
        name = (form % (first + sibling)).encode()
        paths.append(b"%s/%s" % (paths[parent], name) if parent else name)
        depths.append(depths[parent] + 1)
    return paths[1:]
