"""The kernel's FUSE protocol (linux/fuse.h, version 7.31) for one file in one folder, without libfuse.

libfuse for Python answers each request before it takes the next from a thread. A disk has many commands at once, and
answers them late and in another order, so this module passes requests on and sends answers whenever they are due.
"""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Callable
from dataclasses import dataclass

MOST_BYTES = 1 << 20  # of one read or write
REPORT = b"trusted.spindlemark.report"  # extended attribute of the file
_MOST_AT_ONCE = 128  # requests of the loop device: all of its queue
_HEAD, _ANSWER = struct.Struct("<IIQQIIIHH"), struct.Struct("<IiQ")
_TRANSFER = struct.Struct("<QQIIQII")  # file, offset, size, ...: of a read and of a write
_ATTRIBUTES = struct.Struct("<6Q10I")
_ENTRY, _ATTR = struct.Struct("<4Q2I"), struct.Struct("<Q2I")
_INIT_IN, _INIT_OUT = struct.Struct("<4I"), struct.Struct("<4I2H2I2H8I")
_ROOT, _FILE = 1, 2
_FOREVER = 1 << 30  # seconds for which the kernel may keep attributes
_ASYNC_READ, _BIG_WRITES, _ASYNC_DIO, _MAX_PAGES = 1 << 0, 1 << 5, 1 << 15, 1 << 22
_DIRECT_IO, _PARALLEL_WRITES = 1 << 0, 1 << 6  # of an open file
_NO_SUID, _NO_DEVICES = 2, 4  # mount flags
LOOKUP, FORGET, GETATTR, OPEN, READ, WRITE, RELEASE, FSYNC = 1, 2, 3, 14, 15, 16, 18, 20
SETXATTR, GETXATTR, FLUSH, INIT, DESTROY, BATCH_FORGET = 21, 22, 25, 26, 38, 42


@dataclass(frozen=True)
class Request:
    """A read, write or sync of the file that waits for its answer. `data` is valid until the next request is taken."""

    code: int
    unique: int
    offset: int = 0
    size: int = 0
    data: memoryview | None = None


class Connection:
    """A mounted folder with one file; `take` returns what the file's content is needed for."""

    def __init__(self, folder: str, name: str, size: int) -> None:
        self.descriptor = os.open("/dev/fuse", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._name, self._size = name.encode(), size
        self.attributes: dict[bytes, bytes] = {}
        self.report: Callable[[], bytes] = bytes  # the attribute REPORT, made when it is asked for
        self._buffer = memoryview(bytearray(MOST_BYTES + 4096))
        options = f"fd={self.descriptor},rootmode={stat.S_IFDIR:o},user_id=0,group_id=0"
        libc = ctypes.CDLL(None, use_errno=True)
        flags = ctypes.c_ulong(_NO_SUID | _NO_DEVICES)
        if libc.mount(b"spindlemark", folder.encode(), b"fuse", flags, options.encode()):
            raise OSError(ctypes.get_errno(), f"{folder}: cannot mount the file")

    def take(self) -> Request | None:
        """Return the next request that needs the file's content; None when no other is there.

        Raises OSError ENODEV when the folder was unmounted.
        """
        while True:
            try:
                count = os.readv(self.descriptor, [self._buffer])
            except BlockingIOError:
                return None
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.EINTR):  # the request was taken back
                    continue
                raise
            _, code, unique, node, *_ = _HEAD.unpack_from(self._buffer)
            body = self._buffer[_HEAD.size : count]
            if code in (READ, WRITE):
                _, offset, size, *_ = _TRANSFER.unpack_from(body)
                data = body[_TRANSFER.size :] if code == WRITE else None
                return Request(code, unique, offset, size, data)
            if code == FSYNC:
                return Request(code, unique)
            self._answer_at_once(code, unique, node, body)

    def answer(self, unique: int, *parts: bytes | memoryview, error: int = 0) -> None:
        """Answer a request. One that the kernel took back needs no answer."""
        size = _ANSWER.size + sum(len(part) for part in parts)
        try:
            os.writev(self.descriptor, [_ANSWER.pack(size, -error, unique), *parts])
        except OSError as failed:
            if failed.errno != errno.ENOENT:
                raise

    def _answer_at_once(self, code: int, unique: int, node: int, body: memoryview) -> None:
        if code in (FORGET, BATCH_FORGET):
            return
        if code == INIT:
            self.answer(unique, self._initial(body))
        elif code == LOOKUP:
            self._look_up(unique, body)
        elif code == GETATTR:
            self.answer(unique, _ATTR.pack(_FOREVER, 0, 0) + self._attributes(node))
        elif code == OPEN:
            self.answer(unique, struct.pack("<QIi", 0, _DIRECT_IO | _PARALLEL_WRITES, 0))
        elif code == SETXATTR:
            self._set_attribute(unique, bytes(body))
        elif code == GETXATTR:
            self._get_attribute(unique, bytes(body))
        elif code in (RELEASE, FLUSH, DESTROY):
            self.answer(unique)
        else:
            self.answer(unique, error=errno.ENOSYS)

    def _initial(self, body: memoryview) -> bytes:
        """Many requests at once, of up to MOST_BYTES each. The kernel's own limit may be lower."""
        _, _, readahead, offered = _INIT_IN.unpack_from(body)
        flags = offered & (_ASYNC_READ | _BIG_WRITES | _ASYNC_DIO | _MAX_PAGES)
        most = _MOST_AT_ONCE, _MOST_AT_ONCE
        return _INIT_OUT.pack(7, 31, readahead, flags, *most, MOST_BYTES, 1, MOST_BYTES >> 12, 0, *[0] * 8)

    def _look_up(self, unique: int, body: memoryview) -> None:
        if bytes(body).rstrip(b"\0") != self._name:
            self.answer(unique, error=errno.ENOENT)
            return
        self.answer(unique, _ENTRY.pack(_FILE, 0, _FOREVER, _FOREVER, 0, 0) + self._attributes(_FILE))

    def _attributes(self, node: int) -> bytes:
        folder = node == _ROOT
        mode, size = (stat.S_IFDIR | 0o700, 0) if folder else (stat.S_IFREG | 0o600, self._size)
        return _ATTRIBUTES.pack(node, size, size >> 9, *[0] * 6, mode, 1 + folder, 0, 0, 0, 4096, 0)

    def _set_attribute(self, unique: int, body: bytes) -> None:
        size, _ = struct.unpack_from("<2I", body)
        name, _, value = body[8:].partition(b"\0")
        self.attributes[name] = value[:size]
        self.answer(unique)

    def _get_attribute(self, unique: int, body: bytes) -> None:
        size, _ = struct.unpack_from("<2I", body)
        name = body[8:].rstrip(b"\0")
        value = self.report() if name == REPORT else self.attributes.get(name)
        if value is None:
            self.answer(unique, error=errno.ENODATA)
        elif size == 0:
            self.answer(unique, struct.pack("<2I", len(value), 0))
        elif size < len(value):
            self.answer(unique, error=errno.ERANGE)
        else:
            self.answer(unique, value)
