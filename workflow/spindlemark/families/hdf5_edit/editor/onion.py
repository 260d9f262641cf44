"""HDF5's onion file driver: the file stays as it is, its revisions are kept next to it in FILE.onion.

h5py has no call for it, but brings a library that may have one: it is called in that library (H5Pset_fapl_onion).
With pages of 256 bytes and more HDF5 2.0 loses revisions without a word (HDFGroup/hdf5, issue 6612): they are smaller here,
and `levels` reads what it wrote. A writer that was killed leaves the history locked, and the library then refuses it
permanently: `unlock` opens it again.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
from h5py import h5f, h5p

from spindlemark.core.errors import UserError

PAGE_BYTES, LATEST, VERSION = 64, (1 << 64) - 1, 1
SUFFIX, RECOVERY = ".onion", ".onion.recovery"
# "File Format Changes for Enabling Onion VFD": signature, version, 24 flags, page size, end of the original, place and size of
# the history, checksum of all before it.
_HEADER, _LOCKED = struct.Struct("<4sB3sIQQQI"), 1


class _Settings(ctypes.Structure):
    """H5FD_onion_fapl_info_t."""

    _fields_ = [
        ("version", ctypes.c_uint8),
        ("backing", ctypes.c_int64),
        ("page_size", ctypes.c_uint32),
        ("target", ctypes.c_int),
        ("revision", ctypes.c_uint64),
        ("force_write_open", ctypes.c_uint8),
        ("creation_flags", ctypes.c_uint8),
        ("comment", ctypes.c_char * 256),
    ]


def lacking() -> str | None:
    """Why this h5py cannot use the driver, None where it can."""
    library = _library()
    if library is None:
        return "h5py's HDF5 library was not found in this process"
    if not hasattr(library, "H5Pset_fapl_onion"):
        return f"HDF5 {h5py.version.hdf5_version} has no H5Pset_fapl_onion"
    return None


@contextmanager
def opened(path: Path, write: bool) -> Iterator[h5py.File]:
    """The newest revision; closing what was written makes a new one. Raises OSError where the library refuses it."""
    access, backing = h5p.create(h5p.FILE_ACCESS), h5p.create(h5p.FILE_ACCESS)
    settings = _Settings(VERSION, backing.id, PAGE_BYTES, 0, LATEST, 0, 0, b"")
    library = _library()
    if lacking() or library is None or library.H5Pset_fapl_onion(ctypes.c_int64(access.id), ctypes.byref(settings)) < 0:
        raise UserError(f"no onion driver: {lacking()}", "use another way of the backup")
    file = h5py.File(h5f.open(os.fsencode(path), h5f.ACC_RDWR if write else h5f.ACC_RDONLY, access))
    try:
        yield file
    finally:
        file.close()


def history(path: Path) -> Path:
    """Where the revisions of a file are."""
    return path.with_name(path.name + SUFFIX)


def export(path: Path, target: Path) -> None:
    """Write the newest revision as a plain HDF5 file, which replaces `target` when it is complete."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    with opened(path, write=False) as file, partial.open("xb") as made:
        try:
            made.write(file.id.get_file_image())
            made.flush()
            os.fsync(made.fileno())
            partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


def locked(path: Path) -> bool:
    """Whether a writer has not finished the history; raises UserError where there is none or it is damaged."""
    return bool(_header(path)[2][0] & _LOCKED)


def unlock(path: Path) -> None:
    """Take the lock of a writer that is no more off the history: its last finished revision is the newest then."""
    signature, version, flags, *rest = _header(path)
    body = _HEADER.pack(signature, version, bytes([flags[0] & ~_LOCKED, *flags[1:]]), *rest)[:-4]
    with history(path).open("r+b") as file:
        file.write(body + struct.pack("<I", fletcher32(body)))
    path.with_name(path.name + RECOVERY).unlink(missing_ok=True)


class Kept:
    """What a history was, so that a revision that went wrong is taken back: it only grows, but for its header."""

    def __init__(self, path: Path) -> None:
        self.path, self.file = path, history(path)
        self.size = self.file.stat().st_size if self.file.exists() else None
        if self.size is not None:
            with self.file.open("rb") as file:
                self.header = file.read(_HEADER.size)

    def restore(self) -> None:
        """Make the history what it was."""
        self.path.with_name(self.path.name + RECOVERY).unlink(missing_ok=True)
        if self.size is None:
            self.file.unlink(missing_ok=True)
            return
        with self.file.open("r+b") as file:
            file.write(self.header)
            file.truncate(self.size)


def fletcher32(data: bytes) -> int:
    """HDF5's checksum of an even number of bytes: Fletcher's, over words of 16 bits with the high byte first."""
    low = high = 0
    for (word,) in struct.iter_unpack(">H", data):
        low += word
        high += low
    for _ in range(8):
        low, high = (low & 0xFFFF) + (low >> 16), (high & 0xFFFF) + (high >> 16)
    return high << 16 | low


def _header(path: Path) -> tuple:
    try:
        if not stat.S_ISREG(history(path).stat().st_mode):  # a pipe would be waited for
            raise UserError(f"{history(path)}: is not a regular file", "move it away: the history has this name")
        with history(path).open("rb") as file:
            content = file.read(_HEADER.size)
    except OSError as error:
        raise UserError(f"{history(path)}: {error.strerror}", "there is nothing to unlock") from None
    if len(content) < _HEADER.size or content[:4] != b"OHDH":
        raise UserError(
            f"{history(path)}: is not a history of revisions", "remove it: the file itself is as before the first edit"
        )
    return _HEADER.unpack(content)


def _library() -> ctypes.CDLL | None:
    mapped = {
        Path(line.split()[-1])
        for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
        if "/" in line
    }
    found = {path for path in mapped if path.name.startswith("libhdf5") and not path.name.startswith("libhdf5_hl")}
    return ctypes.CDLL(str(min(found))) if found else None
