"""One client's connection: HTTP/1.1 requests for an asset, or for a playlist and its segments, one after another.

Standard library alone. Nothing is assumed of the server but status 200 and a Content-Length that is the file's.
"""

import re
import socket
import ssl
from math import ceil

from spindlemark.families.http_streams import asset_blocks
from spindlemark.families.http_streams.asset_writer import ASSET, PLAYLIST

_RECEIVE_BUFFER = 256 * 1024  # the kernel's own, which a client's buffer does not count: kept small
_LONGEST_HEAD, _LONGEST_PLAYLIST = 16 * 1024, 1 << 20
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_END = b"\r\n\r\n"


class Download:
    """What comes in of one asset. `transferred`: (path, bytes with heads of answers, bytes of bodies) of each request.

    `complete`: every byte is there. `ended`: the server has ended the connection after that, as the last request asks it to.
    """

    def __init__(
        self,
        address: tuple[str, int],
        asset: int,
        segmented: bool,
        asset_bytes: int,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.asset, self.asset_bytes = asset, asset_bytes
        self.transferred: list[tuple[str, int, int]] = []
        self.checked = self.bad = 0
        self.complete, self.ended, self.error = False, False, ""
        self._address, self._head, self._left, self._place = address, b"", 0, 0
        self._queue = [PLAYLIST if segmented else ASSET]
        self._listed = b"" if segmented else None  # the playlist while it comes in
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
        self.descriptor = self._socket.fileno()
        try:
            self._socket.settimeout(10)
            self._socket.connect(address)
            if tls:
                self._socket = tls.wrap_socket(self._socket)  # with the same descriptor
            self._socket.setblocking(False)
            self._ask()
        except OSError as error:
            self.error = f"cannot connect: {error.strerror or error}"

    def read(self, buffer: memoryview) -> int:
        """Take what is there, as far as the buffer goes; returns how many bytes of the asset it was."""
        if self.error:
            return 0
        try:
            size = self._received(buffer)
        except (BlockingIOError, ssl.SSLWantReadError):
            return 0
        except OSError as error:
            return self._failed(f"the connection broke: {error.strerror}")
        if not size:
            return self._failed("the server closed the connection")
        path, moved, body = self.transferred[-1]
        self.transferred[-1] = path, moved + size, body
        data = buffer[:size]
        if not self._left:
            data = self._answered(data)
        return self._took(data) if data and not self.error else 0

    def is_over(self) -> bool:
        """Whether the server has ended the connection of a complete asset, or sends more than it said, which is an error."""
        try:
            more = self._socket.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            more = b""
        if more:
            self._failed("the server sent more than it said")
        self.ended = not more
        return True

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _received(self, buffer: memoryview) -> int:
        """Bytes that came, 0 at the end; of TLS, which gives one record at a time, as many as there are."""
        size = self._socket.recv_into(buffer)
        while isinstance(self._socket, ssl.SSLSocket) and 0 < size < len(buffer):
            try:
                came = self._socket.recv_into(buffer[size:])
            except ssl.SSLWantReadError:
                break
            if not came:
                break
            size += came
        return size

    def holds_more(self) -> bool:
        """Whether TLS has decrypted bytes that were not taken yet, of which the socket shows nothing."""
        return isinstance(self._socket, ssl.SSLSocket) and self._socket.pending() > 0

    def _ask(self) -> None:
        path = f"/{self.asset}/{self._queue.pop(0)}"
        self.transferred.append((path, 0, 0))
        heads = [f"GET {path} HTTP/1.1", f"Host: {self._address[0]}", "User-Agent: spindlemark"]
        if not self._queue and self._listed is None:
            heads.append("Connection: close")
        self._socket.send("\r\n".join([*heads, "", ""]).encode())

    def _answered(self, data: memoryview) -> memoryview:
        """Read the head of an answer; returns what of the body came with it."""
        self._head += bytes(data)
        end = self._head.find(_END)
        if end < 0:
            if len(self._head) > _LONGEST_HEAD:
                self._failed("an answer's head has no end")
            return data[:0]
        head, body = self._head[: end + len(_END)], len(self._head) - end - len(_END)
        self._head = b""
        length = _LENGTH.search(head)
        if not head.startswith(b"HTTP/1.1 200 ") or length is None:
            self._failed(
                f"the server answered {head.split(_END[:2])[0][:100].decode(errors='replace')!r} without the file"
            )
            return data[:0]
        self._left = int(length[1])
        if self._listed is not None and self._left > _LONGEST_PLAYLIST:
            self._failed(f"the server announced a playlist of {self._left} bytes")
            return data[:0]
        return data[len(data) - body :]

    def _took(self, data: memoryview) -> int:
        """Bytes of a body; the next request follows the last of them."""
        if len(data) > self._left:
            return self._failed("the server sent more than it said")
        path, moved, body = self.transferred[-1]
        self.transferred[-1] = path, moved, body + len(data)
        self._left -= len(data)
        came = 0 if self._listed is not None else len(data)
        if self._listed is not None:
            self._listed += bytes(data)
        else:
            self._check(data)
            self._place += len(data)
        if not self._left:
            self._finished()
        return came

    def _check(self, data: memoryview) -> None:
        """The first block that begins in what came."""
        number = ceil(self._place / asset_blocks.BLOCK)
        at = number * asset_blocks.BLOCK - self._place
        if at + asset_blocks.HEAD <= len(data):
            self.checked += 1
            self.bad += not asset_blocks.right(self.asset, number, data[at:])

    def _finished(self) -> None:
        """A whole file came: the asset is complete, or there is a next segment."""
        if self._listed is not None:
            lines = self._listed.decode(errors="replace").splitlines()
            self._queue = [line for line in lines if line and not line.startswith("#")]
            self._listed = None
        if self._queue:
            try:
                self._ask()
            except OSError as error:
                self._failed(f"the connection broke: {error.strerror}")
        elif self._place == self.asset_bytes:
            self.complete = True
        else:
            self._failed(f"the asset has {self._place} bytes, not {self.asset_bytes}")

    def _failed(self, why: str) -> int:
        self.error = why
        return 0
