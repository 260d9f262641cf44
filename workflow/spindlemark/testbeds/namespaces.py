"""Network namespaces of this process: create them, enter them, and remove them with all processes in them.

A namespace has no global name. It is bound to a file in a folder of this process, visible only in its mount namespace,
so the kernel removes it when the process and its children have ended, in whatever way. Servers in a namespace may
outlive a killed process. They are recognised by the namespace's number together with the random name of its interface,
which are noted before anything is started.
"""

import ctypes
import os
import signal
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.testbeds import kernel

_PREFIX, _LONGEST_SECONDS = "net-", 60.0
_CLONE_NEWNET, _MS_BIND, _MNT_DETACH = 0x40000000, 4096, 2
LISTENS = "0A"  # the state of a listening socket in /proc/net/tcp
_MAPPED = "0000000000000000FFFF0000"  # prefix of an IPv4 address in /proc/net/tcp6 (RFC 4291, section 2.5.5.2)
Found = TypeVar("Found")


class Socket(NamedTuple):
    """One line of /proc/net/tcp."""

    state: str
    inode: str


def make(names: Sequence[str], interface: str) -> list[Path]:
    """Create a namespace for each name and return the files they are bound to; each will get the given `interface`.

    The process must be in a mount namespace of its own. Raises UserError where a foreign file is in the way, which is
    not changed, and where the kernel does not permit namespaces.
    """
    folder = private_files.folder(own(), 0o700)
    paths = [folder / name for name in names]
    for path in paths:
        _require_free(path)
    try:
        numbers = [_made(path) for path in paths]
    except OSError as error:
        raise UserError(
            f"no network namespace can be created here: {error.strerror}",
            "measure as root, in a container with CAP_SYS_ADMIN and CAP_NET_ADMIN",
        ) from None
    private_files.write_note(folder.name, {"namespaces": numbers, "interface": interface})
    return paths


def inside(path: Path, call: Callable[[], Found]) -> Found:
    """Return the result of `call` in the namespace, where its sockets and files of /proc are opened.

    It runs in a thread of its own, so that the calling thread never leaves its namespace.
    """

    def work() -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _checked(ctypes.CDLL(None, use_errno=True).setns(descriptor, _CLONE_NEWNET))
        finally:
            os.close(descriptor)
        found.append(call())

    found: list[Found] = []
    _in_a_thread(work)
    return found[0]


def sockets(path: Path, address: str, port: int) -> list[Socket]:
    """TCP sockets at an IPv4 address and port of the namespace, with those for any address and those of IPv6."""
    mine = socket.inet_aton(address)[::-1].hex().upper()
    places = {f"{place}:{port:04X}" for place in (mine, _MAPPED + mine, 8 * "0", 32 * "0")}

    def requested() -> list[Socket]:
        rows = (
            line.split()
            for name in ("tcp", "tcp6")
            if (table := Path("/proc/thread-self/net", name)).exists()
            for line in table.read_text().splitlines()[1:]
        )
        return [Socket(row[3], row[9]) for row in rows if row[1] in places]

    return inside(path, requested)


def listening(path: Path, address: str, port: int) -> set[str]:
    """Inodes of the sockets that listen at an address and port of the namespace."""
    return {found.inode for found in sockets(path, address, port) if found.state == LISTENS}


def remove() -> None:
    """Remove the namespaces of this process and of killed ones, and end all processes in them."""
    for name in {own().name, *_left()}:
        _end_all(name)
        folder = private_files.RUN / name
        if folder.is_dir() and not folder.is_symlink():
            _remove_folder(folder)
        private_files.remove_note(name)


def processes(note: str) -> Iterator[int]:
    """Yield the processes in a noted namespace. Its number may be reused, so the interface's random name must match."""
    noted = private_files.read_note(note)
    if not noted:
        return
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            if (process / "ns/net").stat().st_ino in noted["namespaces"] and f"{noted['interface']}:" in (
                process / "net/dev"
            ).read_text():
                yield int(process.name)


def own() -> Path:
    """The folder of this process's namespaces, which need not exist."""
    return private_files.RUN / f"{_PREFIX}{os.getpid()}"


def _left() -> set[str]:
    """Folders and notes of processes that have ended."""
    names = {entry.name.removesuffix(".json") for entry in private_files.RUN.glob(f"{_PREFIX}[0-9]*")}
    return {name for name in names if not Path("/proc", name.removeprefix(_PREFIX)).exists()}


def _made(path: Path) -> int:
    """Create the namespace, bind it to `path` and return its number."""
    numbers = []

    def work() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        _checked(libc.unshare(_CLONE_NEWNET))
        _checked(libc.mount(b"/proc/thread-self/ns/net", os.fsencode(path), None, ctypes.c_ulong(_MS_BIND), None))
        numbers.append(Path("/proc/thread-self/ns/net").stat().st_ino)

    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY | os.O_CLOEXEC, 0o600))
    _in_a_thread(work)
    return numbers[0]


def _require_free(path: Path) -> None:
    """Raise UserError if `path` is in use; remove an empty file that a killed process with the same number left."""
    if not os.path.lexists(path):
        return
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode) or found.st_size or any(mount.point == path for mount in kernel.mounts()):
        raise UserError(f"{path}: is in the way, and was not made by this program", "move it away, or unmount it")
    path.unlink()


def _remove_folder(folder: Path) -> None:
    for path in folder.iterdir():
        ctypes.CDLL(None).umount2(os.fsencode(path), _MNT_DETACH)  # does nothing where nothing is mounted
        with suppress(OSError):  # not ours: `make` reports it if it is in the way
            path.unlink()
    with suppress(OSError):
        folder.rmdir()


def _end_all(note: str) -> None:
    """Kill the processes in the namespaces until there are none; raises UserError when one cannot be ended."""
    give_up = time.monotonic() + _LONGEST_SECONDS
    while found := [pid for pid in processes(note) if pid != os.getpid()]:
        if time.monotonic() > give_up:
            raise UserError(f"process {found[0]} in a network namespace of ours cannot be ended", "restart the machine")
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def _in_a_thread(work: Callable[[], None]) -> None:
    """Run `work` in a thread of its own, since a namespace is entered by a thread. Raises what `work` raises."""
    errors: list[BaseException] = []

    def call() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, name="namespace")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def _checked(code: int) -> None:
    if code:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
