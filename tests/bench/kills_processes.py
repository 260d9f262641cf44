"""All processes that a command starts, however they detach: this process adopts their orphans."""

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from typing import NamedTuple

_PR_SET_CHILD_SUBREAPER = 36
POLL_SECONDS = 0.02


class Process(NamedTuple):
    """One process: its parent's number, state letter, and words."""

    parent: int
    state: str
    words: list[str]


def adopt_orphans() -> None:
    """Become the parent of all processes below this one whose parents end. SIGINT stops what is started from here."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a background job of a shell ignores it, as do its children


def below(pid: int) -> dict[int, Process]:
    """Processes that descend from `pid`, which is not included, without those that have ended."""
    table = dict(_table())
    found: dict[int, Process] = {}
    wanted = [pid]
    while wanted:
        parent = wanted.pop()
        children = {number: each for number, each in table.items() if each.parent == parent}
        found |= children
        wanted += children
    return {number: each for number, each in found.items() if each.state not in "ZX"}


def reap(known: Popen | None) -> None:
    """Collect adopted processes that have ended; `known` is left to its owner."""
    if known:
        known.poll()
    for number, each in _table():
        if each.parent == os.getpid() and each.state == "Z" and not (known and number == known.pid):
            with suppress(ChildProcessError):
                os.waitpid(number, os.WNOHANG)


def wait(known: Popen, condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until `condition` or for `seconds`, collecting orphans meanwhile; returns whether the condition came."""
    give_up = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > give_up:
            return False
        reap(known)
        time.sleep(POLL_SECONDS)
    return True


def kill_all(known: Popen | None = None) -> None:
    """Kill everything below this process, also what starts meanwhile."""
    while alive := below(os.getpid()):
        for pid in sorted(alive):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        reap(known)
        time.sleep(POLL_SECONDS)


def is_snakemake(process: Process) -> bool:
    """Whether it is Snakemake itself, not one of its jobs."""
    return process.words[1:5].count("snakemake") == 1 and "-m" in process.words[:5]


def is_driver(process: Process) -> bool:
    """Whether it measures a repetition; the shell around it has the same words in one."""
    return "spindlemark.measure" in process.words and "--repetition" in process.words


def _table() -> Iterator[tuple[int, Process]]:
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):  # it ended meanwhile
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            words = (entry / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
            yield int(entry.name), Process(int(fields[1]), fields[0], words)
