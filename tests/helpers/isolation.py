"""A private folder for root's notes and the machine's lock, and a private session, for each process that runs tests.

There is one lock for the whole machine, and two test processes that measure would wait for each other for minutes. The
numbers that tests measure mean nothing, so each process gets a mount namespace with an empty folder in its place.
The session is private because its file is written under the lock.
"""

import ctypes
import os
import signal

import pytest

from spindlemark.core import private_files
from spindlemark.harness import session
from spindlemark.testbeds import kernel

_BIND = 4096  # MS_BIND of mount(2)


def pytest_configure(config: pytest.Config) -> None:
    """Enter the namespace, as root; a process that only hands tests to workers stays outside."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a script's background; tests press Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.geteuid() != 0 or getattr(config.option, "numprocesses", None):
        return
    private_files.RUN.mkdir(parents=True, exist_ok=True)
    kernel.own_mount_namespace()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"spindlemark-tests", os.fsencode(private_files.RUN), b"tmpfs", 0, b"mode=755"):
        raise OSError(ctypes.get_errno(), f"cannot mount a folder on {private_files.RUN}")
    private = private_files.RUN / session.FILE.name
    for path in (private, session.FILE):
        with private_files.file(path):
            pass  # it exists now
    if libc.mount(os.fsencode(private), os.fsencode(session.FILE), None, _BIND, None):
        raise OSError(ctypes.get_errno(), f"cannot mount a file on {session.FILE}")
