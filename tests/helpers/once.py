"""Expensive set-ups that all test processes of one session share."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder `name`, filled by `make(folder)` in the first process that asks for it; read only from then on."""
    stamp = _place(factory) / f"{name}.made"
    folder = _place(factory) / name
    with locked(factory, name):
        if not stamp.exists():
            folder.mkdir()
            make(folder)
            stamp.touch()
    return folder


@contextmanager
def locked(factory: pytest.TempPathFactory, name: str) -> Iterator[None]:
    """Let one test process of the session in at a time."""
    with (_place(factory) / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _place(factory: pytest.TempPathFactory) -> Path:
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
