"""Run a client process that writes or reads one file over storage; its cost and the gates on it, the same for all families."""

import json
from pathlib import Path
from typing import Any

from spindlemark.core.process import programs
from spindlemark.families.shared.block_storage.storage_server import LOCAL, Served
from spindlemark.families.shared.block_storage.storage_stack import Requests, Took
from spindlemark.harness.repetition import Repetition, Step

KIB, MIB = 1 << 10, 1 << 20
WRITE, READ = "write", "read"


def room(least: int, each: int, count: int) -> int:
    """Bytes that a file certainly fits in: `least`, and `each` for every one of `count`, in whole MiB."""
    return least + -(-count * each // MIB) * MIB


def make_empty(file: Path, storage: dict[str, Any], size: int) -> None:
    """An empty file; behind a server, which makes none larger, one of `size` bytes without content."""
    with file.open("wb") as empty:
        empty.truncate(0 if storage["kind"] == LOCAL else size)


def ask(repetition: Repetition, client: str, task: dict[str, Any], limit: float) -> Took:
    """What it took the module `client` to do the task, in `limit` seconds at most; raises as `session.run` does."""
    done = repetition.run([*programs.PYTHON, "-m", client, json.dumps(task)], limit)
    report = json.loads(done.stdout)
    return Took(**report | {"requests": Requests(**report["requests"])})


def require_moved(repetition: Repetition, took: Took, step: Step, way: str) -> None:
    """The gate `cold_proof`: the device moved what was asked for."""
    requests = took.requests
    read = min(requests.blocks * 4096, requests.length)
    moved, least = (step.read_bytes, read) if way == READ else (step.written_bytes, requests.length)
    repetition.require(
        "cold_proof",
        moved >= least > 0,
        moved,
        least,
        "B",
        "bytes that the device moved, from its own counter, against those of the file that were asked for",
    )


def require_counted(repetition: Repetition, served: Served, *took: Took, whole: bool = False) -> None:
    """The gate `delivered`, where a server counts: it and the clients agree; `whole`: it is not a gate of one step alone."""
    for name, own in (("read", "reads"), ("write", "writes")):
        if served.counts is not None:
            count = sum(getattr(each.requests, own) for each in took)
            repetition.require(
                "delivered",
                served.counts[name] == count,
                served.counts[name],
                count,
                "1",
                f"requests to {name} that nbdkit counted, against those of the client",
                whole=whole,
            )
