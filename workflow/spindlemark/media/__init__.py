"""Media: the libraries that are copied, made from declared counts and sizes by a seed, at the speed of memory."""

from spindlemark.media.cache import cached, clear, folder, is_whole, scratch
from spindlemark.media.factors import needed_inodes, resolve
from spindlemark.media.sizes import sizes
from spindlemark.media.space import needed_bytes
from spindlemark.media.writer import generate

__all__ = ["cached", "clear", "folder", "generate", "is_whole", "needed_bytes", "needed_inodes", "resolve", "scratch",
           "sizes"]
