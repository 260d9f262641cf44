"""Temporary loop devices: the kernel detaches them as soon as no process uses them any more.

`losetup` cannot request that when it attaches a file, so a kill immediately after it would leave the device.
"""

import errno
import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds import kernel, kernel_modules

# Of linux/loop.h.
_GET_FREE, _CONFIGURE = 0x4C82, 0x4C0A
_AUTOCLEAR, _DIRECT_IO = 4, 16
_BEFORE, _AFTER = struct.Struct("=II"), bytes(8 * 8)  # of struct loop_config, around its struct loop_info64
_TRIES = 100
_CONTROL = Path("/dev/loop-control")


@contextmanager
def attached(file: Path, *, direct_io: bool = False) -> Iterator[Path]:
    """Attach the file to a loop device and yield its node; it is detached after the context and its last mount.

    Raises UserError where the kernel has no free loop device or cannot use direct I/O on the file.
    """
    flags = _AUTOCLEAR | (_DIRECT_IO if direct_io else 0)
    backing = os.open(file, os.O_RDWR | os.O_CLOEXEC | (os.O_DIRECT if direct_io else 0))
    try:
        descriptor, node = _configured(file, backing, flags)
    finally:
        os.close(backing)
    try:
        yield node
    finally:
        os.close(descriptor)


def _configured(file: Path, backing: int, flags: int) -> tuple[int, Path]:
    info = kernel.LOOP_INFO64.pack(0, 0, 0, 0, 0, 0, 0, 0, flags, b"", b"", b"", 0, 0)
    wanted = _BEFORE.pack(backing, 0) + info + _AFTER
    try:
        for _ in range(_TRIES):
            node = Path(f"/dev/loop{_free()}")
            descriptor = os.open(node, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.ioctl(descriptor, _CONFIGURE, wanted)
                return descriptor, node
            except OSError as error:
                os.close(descriptor)
                if error.errno != errno.EBUSY:  # another process took it meanwhile
                    raise
    except OSError as error:
        raise _refused(file, error.strerror) from None
    raise _refused(file, "other processes took each free one")


def _free() -> int:
    if not _CONTROL.exists():
        kernel_modules.loads_module("loop")
    control = os.open(_CONTROL, os.O_RDWR | os.O_CLOEXEC)
    try:
        return fcntl.ioctl(control, _GET_FREE)
    finally:
        os.close(control)


def _refused(file: Path, reason: str | None) -> UserError:
    return UserError(
        f"{file}: cannot be attached to a loop device: {reason}",
        "loop devices need Linux 5.8 or newer with its loop driver (modprobe loop) and, in a container, "
        "access to /dev/loop-control and /dev/loop*",
    )
