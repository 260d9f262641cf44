"""Media: the libraries that are copied, made from declared counts and sizes by a seed, at the speed of memory."""

from spindlemark.families.shared.media.file_sizes import sizes
from spindlemark.families.shared.media.library_cache import cached, clear, folder, is_whole, kept, scratch
from spindlemark.families.shared.media.library_checksums import TOOL as CHECKSUM_TOOL
from spindlemark.families.shared.media.library_checksums import checksums
from spindlemark.families.shared.media.library_factors import needed_inodes, resolve
from spindlemark.families.shared.media.library_space import needed_bytes
from spindlemark.families.shared.media.library_tree import paths
from spindlemark.families.shared.media.library_writer import generate

__all__ = [
    "CHECKSUM_TOOL",
    "cached",
    "checksums",
    "clear",
    "folder",
    "generate",
    "is_whole",
    "kept",
    "needed_bytes",
    "needed_inodes",
    "paths",
    "resolve",
    "scratch",
    "sizes",
]
