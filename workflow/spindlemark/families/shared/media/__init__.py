"""Media: the libraries that are copied, made from declared counts and sizes by a seed, at the speed of memory."""

from spindlemark.families.shared.media.file_sizes import sizes
from spindlemark.families.shared.media.library_cache import cached, clear, folder, is_whole, scratch
from spindlemark.families.shared.media.library_factors import needed_inodes, resolve
from spindlemark.families.shared.media.library_space import needed_bytes
from spindlemark.families.shared.media.library_writer import generate

__all__ = [
    "cached",
    "clear",
    "folder",
    "generate",
    "is_whole",
    "needed_bytes",
    "needed_inodes",
    "resolve",
    "scratch",
    "sizes",
]
