"""Direct I/O: whether a filesystem supports it, and which engine of fio can queue it with this kernel."""

import errno
import mmap
import os
from pathlib import Path

from spindlemark.core.outcome import Unsupported

# A page is a multiple of every logical block size that Linux mounts.
_BLOCK = mmap.PAGESIZE


def supported(folder: Path) -> bool:
    """Whether a file in `folder` can be written without the page cache; creates and removes a small file."""
    probe = folder / ".direct-io"
    try:
        descriptor = os.open(probe, os.O_CREAT | os.O_WRONLY | os.O_DIRECT, 0o600)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        probe.unlink(missing_ok=True)  # some filesystems create the file before they refuse
        return False
    try:
        with mmap.mmap(-1, _BLOCK) as aligned:  # anonymous memory begins on a page, as direct I/O requires
            os.write(descriptor, aligned)
        return True
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return False
    finally:
        os.close(descriptor)
        probe.unlink()


def engine(requests: int, proc: Path = Path("/proc")) -> str:
    """Name the engine of fio that can have `requests` requests in flight with this kernel: libaio, else io_uring.

    libaio comes first, since many systems forbid io_uring. Raises Unsupported when the kernel offers neither.
    """
    aio = [proc / "sys/fs/aio-max-nr", proc / "sys/fs/aio-nr"]
    if all(file.exists() for file in aio):
        most, taken = (int(file.read_text()) for file in aio)
        if most - taken >= requests:
            return "libaio"
    switch = proc / "sys/kernel/io_uring_disabled"  # since kernel 6.6
    forbidden = switch.exists() and switch.read_text().strip() != "0"
    if not forbidden and "io_uring_setup" in (proc / "kallsyms").read_text():
        return "io_uring"
    raise Unsupported(
        f"this kernel cannot have {requests} asynchronous requests in flight: libaio allows fewer (fs.aio-max-nr), "
        "and io_uring is absent or forbidden (kernel.io_uring_disabled)"
    )
