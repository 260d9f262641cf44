"""SMB 3 as media players speak it: by Samba's libsmbclient, one request at a time per connection, as a guest."""

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spindlemark.families.network_share.share_connection import store_in_pieces
from spindlemark.families.network_share.share_names import DATA, SHARE

LIBRARY = "libsmbclient.so.0"
_ASK = ctypes.CFUNCTYPE(None, *[ctypes.c_char_p] * 2, *[ctypes.c_void_p, ctypes.c_int] * 3)
_GUEST = _ASK(lambda *_: None)  # neither name nor password
_SET = 0  # whence of lseek
_NAME_LENGTH, _NAME = 24, 28  # offsets in libsmbclient's struct smbc_dirent on machines of 64 bits


class SmbConnection:
    """The shared file, opened in a context of its own."""

    def __init__(self, address: str, port: int) -> None:
        self._library = ctypes.CDLL(LIBRARY, use_errno=True)
        self._library.smbc_new_context.restype = ctypes.c_void_p
        self._library.smbc_init_context.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._library.smbc_new_context())
        self._library.smbc_setFunctionAuthData(self._context, _GUEST)
        if not self._library.smbc_init_context(self._context):
            raise _error("it cannot be begun")
        self._url = f"smb://{address}:{port}/{SHARE}"
        self._opening = self._function("Open", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint)
        self._file = self._open(DATA, os.O_RDWR)
        moving = (ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        self._read, self._write = self._function("Read", *moving), self._function("Write", *moving)
        self._seek = self._function("Lseek", ctypes.c_long, ctypes.c_void_p, ctypes.c_long, ctypes.c_int)
        self._close = self._function("Close", ctypes.c_int, ctypes.c_void_p)

    def read_into(self, offset: int, view: memoryview) -> None:
        """See share_connection.Connection."""
        self._move(self._read, "read", self._file, offset, view)

    def write(self, offset: int, view: memoryview) -> None:
        """See share_connection.Connection."""
        self._move(self._write, "write", self._file, offset, view)

    def store(self, file: Path) -> None:
        """See share_connection.Connection."""
        store_in_pieces(self, file)

    def names(self, folder: str) -> list[str]:
        """See share_connection.Connection."""
        opening = self._function("Opendir", ctypes.c_void_p, ctypes.c_char_p)
        reading = self._function("Readdir", ctypes.c_void_p, ctypes.c_void_p)
        closing = self._function("Closedir", ctypes.c_int, ctypes.c_void_p)
        opened, found = opening(self._context, f"{self._url}/{folder}".encode()), []
        if not opened:
            raise _error(folder)
        while entry := reading(self._context, opened):
            length = ctypes.c_uint.from_address(entry + _NAME_LENGTH).value
            found.append(ctypes.string_at(entry + _NAME, length).rstrip(b"\0").decode())
        closing(self._context, opened)
        return [name for name in found if name not in (".", "..")]

    def read_head(self, path: str, view: memoryview) -> None:
        """See share_connection.Connection."""
        file = self._open(path, os.O_RDONLY)
        self._move(self._read, "read", file, 0, view)
        self._close(self._context, file)

    def create(self, path: str, size: int, pieces: Iterable[memoryview]) -> None:
        """See share_connection.Connection."""
        file, place = self._open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 0
        for piece in pieces:
            self._move(self._write, "write", file, place, piece)
            place += len(piece)
        if self._close(self._context, file):
            raise _error(f"close {path}")

    def close(self) -> None:
        """See share_connection.Connection."""
        self._close(self._context, self._file)
        self._library.smbc_free_context(self._context, 1)

    def _open(self, path: str, flags: int) -> Any:
        file = self._opening(self._context, f"{self._url}/{path}".encode(), flags, 0o666)
        if not file:
            raise _error(path)
        return file

    def _move(self, move: Any, name: str, file: Any, offset: int, view: memoryview) -> None:
        if self._seek(self._context, file, offset, _SET) != offset:
            raise _error(f"seek to {offset}")
        done, buffer = 0, (ctypes.c_char * len(view)).from_buffer(view)
        while done < len(view):
            moved = move(self._context, file, ctypes.byref(buffer, done), len(view) - done)
            if moved <= 0:
                raise (
                    _error(f"{name} at {offset + done}")
                    if moved
                    else EOFError(f"{name} at {offset + done}: nothing is there")
                )
            done += moved

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        """One of the context's functions, all but the first of whose arguments follow the context."""
        get = getattr(self._library, f"smbc_getFunction{name}")
        get.restype = ctypes.CFUNCTYPE(result, ctypes.c_void_p, *arguments, use_errno=True)
        return get(self._context)


def _error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
