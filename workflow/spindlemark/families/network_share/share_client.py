"""The client of a share: run one load, or fetch or store one file, and print its cost as JSON.

A program of its own, for the client's network namespace:
`python -m spindlemark.families.network_share.share_client '{...}'`, with the keys of
`Task`. Requests that are to be in flight together are sent by as many processes (Samba's library takes no threads), each
on a connection of its own, and every place of the file is asked for once at most. Ends with exit code 1 and the reason on
standard error when the server refuses anything, or gives less than it was asked for.
"""

import json
import os
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from spindlemark.core.process import programs, usage
from spindlemark.families.network_share.share_connection import PIECE, Connection

READY, GO = "ready", "go"


@dataclass(frozen=True)
class Task:
    """What is asked for: `way` is read or write (a load), fetch or store (a whole file, between the share and `file`)."""

    protocol: str
    address: str
    port: int
    way: str
    bytes: int  # of the shared file
    file: str = ""
    block: int = PIECE
    at_random: bool = False
    workers: int = 1
    worker: int | None = None  # which of them this process is; None: the one that starts them
    seconds: float = 0.0  # after which no request begins
    seed: int = 0
    server: str = ""  # control group of the server


@dataclass(frozen=True)
class Took:
    """What was moved, and what it took from the first request to the last answer: seconds, and processor seconds of client
    and server; None where the latter is unknown.
    """

    bytes: int
    seconds: float
    cpu_seconds: float
    server_seconds: float | None = None


def main(text: str) -> None:
    """Do the task and print what it took."""
    task = Task(**json.loads(text))
    took = _together(task) if task.worker is None and task.workers > 1 else _alone(task)
    print(json.dumps(asdict(took)))


def _together(task: Task) -> Took:
    """Start the workers, let all of them go when all are ready, and add up."""
    workers = [
        programs.start(
            [*programs.PYTHON, "-m", __spec__.name, json.dumps(asdict(replace(task, worker=number)))],
            stdin=programs.PIPE,
            stdout=programs.PIPE,
            text=True,
        )
        for number in range(task.workers)
    ]
    if [_answer(worker) for worker in workers] != [READY] * task.workers:
        raise ConnectionError("a worker did not connect: see above")
    served = _served(task)
    for worker in workers:
        assert worker.stdin  # a pipe
        worker.stdin.write(GO + "\n")
        worker.stdin.flush()
    reports = [worker.communicate()[0] for worker in workers]
    if any(worker.returncode for worker in workers):
        raise OSError("a worker failed: see above")
    spent = _served(task, served)
    took = [Took(**json.loads(text)) for text in reports]
    return Took(
        sum(each.bytes for each in took),
        max(each.seconds for each in took),
        sum(each.cpu_seconds for each in took),
        spent,
    )


def _answer(worker: programs.Process) -> str:
    assert worker.stdout  # a pipe
    return worker.stdout.readline().strip()


def _alone(task: Task) -> Took:
    """Do it in this process."""
    connection = connected(task.protocol, task.address, task.port)
    work = (_places(task), memoryview(bytearray(os.urandom(task.block))))
    if task.worker is not None:
        print(READY, flush=True)
        if sys.stdin.readline().strip() != GO:
            raise ConnectionError("the parent does not wait for this worker")
    served, before, begun = _served(task), time.process_time(), time.monotonic()
    moved = _load(task, connection, *work) if task.way in ("read", "write") else _whole(task, connection)
    took = Took(moved, time.monotonic() - begun, time.process_time() - before, _served(task, served))
    connection.close()
    return took


def connected(protocol: str, address: str, port: int) -> Connection:
    """A connection by a protocol; the modules of the others are not loaded."""
    match protocol:
        case "nfs":
            from spindlemark.families.network_share.nfs_folder import NfsFolder

            return NfsFolder(address, port)
        case "smb":
            from spindlemark.families.network_share.smb import SmbConnection

            return SmbConnection(address, port)
        case "webdav":
            from spindlemark.families.network_share.webdav import WebdavConnection

            return WebdavConnection(address, port)
        case _:
            raise ValueError(f"no client for the protocol {protocol!r}")


def _served(task: Task, before: float | None = 0.0) -> float | None:
    """Processor seconds of the server since it had used `before`."""
    now = usage.seconds(Path(task.server)) if task.server else None
    return None if now is None or before is None else now - before


def _load(task: Task, connection: Connection, places: Sequence[int], view: memoryview) -> int:
    """Bytes moved until the time is over, or every place was asked for."""
    move, moved = connection.read_into if task.way == "read" else connection.write, 0
    ends = time.monotonic() + task.seconds
    for place in places:
        move(place, view)
        moved += len(view)
        if time.monotonic() >= ends:
            break
    return moved


def _places(task: Task) -> list[int]:
    """Where each request of this worker begins: it takes every so many-th of all."""
    blocks: Any = list(range(task.bytes // task.block))
    if task.at_random:
        random.Random(task.seed).shuffle(blocks)
    return [block * task.block for block in blocks[task.worker or 0 :: task.workers]]


def _whole(task: Task, connection: Connection) -> int:
    if task.way == "store":
        connection.store(Path(task.file))
        return Path(task.file).stat().st_size
    view = memoryview(bytearray(PIECE))
    with Path(task.file).open("wb") as file:
        for place in range(0, task.bytes, PIECE):
            part = view[: min(PIECE, task.bytes - place)]
            connection.read_into(place, part)
            file.write(part)
    return task.bytes


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
