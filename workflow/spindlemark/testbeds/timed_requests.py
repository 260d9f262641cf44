"""Time many concurrent direct requests, as the data sheets of disks do.

The kernel's asynchronous interface (io_submit(2)) takes many requests in one call. A call for each request (os.pread)
would be too slow for a fast disk, and starting fio takes longer than the trial.
"""

import ctypes
import errno
import mmap
import os
import time
from collections.abc import Callable

import numpy as np

AT_ONCE = 128
_DIFFERENT = 1 << 16  # requests; after them the same are sent again
# Numbers of io_setup, io_destroy, io_submit and io_getevents: all newer architectures share them.
_CALLS = {"x86_64": (206, 207, 209, 208)}.get(os.uname().machine, (0, 1, 2, 4))
_REQUEST = np.dtype(
    [
        ("data", "<u8"),
        ("key", "<u4"),
        ("flags", "<u4"),
        ("action", "<u2"),
        ("priority", "<i2"),
        ("file", "<u4"),
        ("memory", "<u8"),
        ("bytes", "<u8"),
        ("offset", "<i8"),
        ("reserved", "<u8"),
        ("more_flags", "<u4"),
        ("event", "<u4"),
    ]
)
_ANSWER = np.dtype([("data", "<u8"), ("request", "<u8"), ("result", "<i8"), ("more", "<i8")])
_READ, _WRITE = 0, 1


def seconds(node: str, write: bool, block: int, count: int, most: float, *, scattered: bool) -> float:
    """Seconds that the device needs for `count` requests of `block` bytes, sequential at its end or `scattered` over it.

    Stops after `most` seconds and extrapolates. Writes zeros. Raises OSError when a request fails or the kernel has no
    such interface.
    """
    descriptor = os.open(node, os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC)
    try:
        blocks = os.lseek(descriptor, 0, os.SEEK_END) // block
        different = min(count, _DIFFERENT, blocks)
        chosen = (
            np.random.default_rng(count).integers(blocks, size=different)
            if scattered
            else np.arange(blocks - different, blocks)
        )
        with mmap.mmap(-1, block) as memory:
            requests = np.zeros(different, _REQUEST)
            requests["action"], requests["file"] = _WRITE if write else _READ, descriptor
            requests["memory"], requests["bytes"] = _address(memory), block
            requests["offset"] = chosen * block
            return _answered(requests, block, count, most)
    finally:
        os.close(descriptor)


def _answered(requests: np.ndarray, block: int, count: int, most: float) -> float:
    setup, destroy, submit, wait = (_call(number) for number in _CALLS)
    pointers = requests.ctypes.data + _REQUEST.itemsize * np.arange(len(requests), dtype=np.uint64)
    answers, context = np.zeros(AT_ONCE, _ANSWER), ctypes.c_ulong()
    setup(AT_ONCE, ctypes.byref(context))
    try:
        begun, sent, done, took = time.monotonic(), 0, 0, 0.0
        while done < count and (took < most or not done):
            at = sent % len(requests)
            more = min(AT_ONCE - (sent - done), count - sent, len(requests) - at)
            if more:
                sent += submit(context, ctypes.c_long(more), ctypes.c_void_p(int(pointers.ctypes.data) + 8 * at))
            found = wait(
                context,
                ctypes.c_long(min(AT_ONCE // 2, sent - done)),
                ctypes.c_long(AT_ONCE),
                ctypes.c_void_p(answers.ctypes.data),
                None,
            )
            if (answers["result"][:found] != block).any():
                raise OSError(errno.EIO, "a request of the trial failed")
            done += found
            took = time.monotonic() - begun
        return took * count / done
    finally:
        destroy(context)  # waits for requests in flight


def _call(number: int) -> Callable[..., int]:
    """Return a system call that raises OSError; when a signal interrupts it, it returns 0."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(*arguments: object) -> int:
        if (found := libc.syscall(ctypes.c_long(number), *arguments)) >= 0:
            return found
        if ctypes.get_errno() == errno.EINTR:
            return 0
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    return call


def _address(memory: mmap.mmap) -> int:
    held = ctypes.c_char.from_buffer(memory)
    return ctypes.addressof(held)
