"""The part of a file that is in the page cache, which a load can read without the device."""

import ctypes
import mmap
from pathlib import Path


def resident(file: Path) -> int:
    """Bytes of `file` that are in the page cache now, in whole pages, from mincore(2), which reads nothing."""
    size = file.stat().st_size
    if not size:
        return 0
    pages = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), size, access=mmap.ACCESS_COPY) as mapped:
        first = ctypes.c_char.from_buffer(mapped)  # needs a writable, so private, mapping to get the address
        try:
            if ctypes.CDLL(None, use_errno=True).mincore(
                ctypes.c_void_p(ctypes.addressof(first)), ctypes.c_size_t(size), pages
            ):
                raise OSError(ctypes.get_errno(), f"mincore of {file} failed")
        finally:
            del first
    return sum(page & 1 for page in bytes(pages)) * mmap.PAGESIZE
