"""SMB 3 as media players speak it: by Samba's libsmbclient, one request at a time per connection, as a guest."""

import ctypes
import os
from pathlib import Path
from typing import Any

from spindlemark.families.network_share.share_connection import store_in_pieces
from spindlemark.families.network_share.share_names import DATA, SHARE

LIBRARY = "libsmbclient.so.0"
_ASK = ctypes.CFUNCTYPE(None, *[ctypes.c_char_p] * 2, *[ctypes.c_void_p, ctypes.c_int] * 3)
_GUEST = _ASK(lambda *_: None)  # neither name nor password
_SET = 0  # whence of lseek


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
        opening = self._function("Open", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint)
        url = f"smb://{address}:{port}/{SHARE}/{DATA}"
        self._file = opening(self._context, url.encode(), os.O_RDWR, 0o600)
        if not self._file:
            raise _error(url)
        moving = (ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        self._read, self._write = self._function("Read", *moving), self._function("Write", *moving)
        self._seek = self._function("Lseek", ctypes.c_long, ctypes.c_void_p, ctypes.c_long, ctypes.c_int)
        self._close = self._function("Close", ctypes.c_int, ctypes.c_void_p)

    def read_into(self, offset: int, view: memoryview) -> None:
        """See share_connection.Connection."""
        self._move(self._read, "read", offset, view)

    def write(self, offset: int, view: memoryview) -> None:
        """See share_connection.Connection."""
        self._move(self._write, "write", offset, view)

    def store(self, file: Path) -> None:
        """See share_connection.Connection."""
        store_in_pieces(self, file)

    def close(self) -> None:
        """See share_connection.Connection."""
        self._close(self._context, self._file)
        self._library.smbc_free_context(self._context, 1)

    def _move(self, move: Any, name: str, offset: int, view: memoryview) -> None:
        if self._seek(self._context, self._file, offset, _SET) != offset:
            raise _error(f"seek to {offset}")
        done, buffer = 0, (ctypes.c_char * len(view)).from_buffer(view)
        while done < len(view):
            moved = move(self._context, self._file, ctypes.byref(buffer, done), len(view) - done)
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
