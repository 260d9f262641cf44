"""What draws, stores, reads and damages frames, as a program of its own.

It is called as `python -P -m spindlemark.families.frame_storage.frame_program TASK ...`.

It times itself, from the first opening to the last closing of a file, so that neither the start of Python nor the check
of the frames is in it, and prints its answer as JSON: seconds, those of the processors, frames that were read, those that came back
as they were drawn, and bytes that the disk must have given. It ends with 1 where storing failed, and with
UNAVAILABLE where a filter is missing; the last line on standard error says why.

`check` reads all frames again, without a clock, and compares them. `rewrite` stores the next frame in the place of the middle
one. `flip` changes one bit of the stored files, drawn by seed, and `damaged` reads all frames after that: how many are lost,
how many bytes of samples, and whether the format noticed.
"""

import argparse
import json
import os
import random
import sys
import time
from pathlib import Path

import numpy as np

from spindlemark.families.frame_storage import frame_files, sequence
from spindlemark.families.frame_storage.sequence import Sequence
from spindlemark.families.frame_storage.stored_frames import DamagedError, FilterMissingError

UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h
READS = ("row", "single", "patch")
TASKS = ("draw", "source", "write", *READS, "check", "rewrite", "flip", "damaged")
SOME = sequence.DISTINCT  # frames of which single ones, and patches, are read at most
PLAYED, AHEAD_SECONDS = 24, 1.0  # frames of a second, and what a player holds before it begins
Answer = dict[str, float]


def main(words: list[str]) -> int:
    """Do one task; returns the exit code."""
    given = _parser().parse_args(words)
    shape = Sequence(given.frames, given.height, given.width, given.bits)
    try:
        print(json.dumps(_do(given, shape)), flush=True)
    except FilterMissingError as error:
        return _ended(error, UNAVAILABLE)
    except (OSError, ValueError, KeyError, RuntimeError, DamagedError) as error:
        return _ended(error, 1)
    return 0


def _do(given: argparse.Namespace, shape: Sequence) -> Answer:
    if given.task == "draw":
        sequence.draw(shape, given.content, given.seed, given.memory)
        return {}
    if given.task in ("source", "write"):
        samples = sequence.drawn(shape, given.memory)
        begun = _now()
        frame_files.write("contiguous" if given.task == "source" else given.store, shape, samples, given.target)
        return _since(begun)
    if given.task == "check":
        return _check(given, shape)
    if given.task == "rewrite":
        return _rewrite(given, shape)
    if given.task == "flip":
        return {"at": flip(given.target, given.seed)}
    return _damaged(given, shape) if given.task == "damaged" else _read(given, shape)


def numbers(task: str, frames: int, seed: int) -> list[int]:
    """The frames that a task reads, in its order: all, or some in random order, or some at equal distances."""
    if task == "single":
        return [int(n) for n in np.random.default_rng(seed).permutation(frames)[:SOME]]
    if task == "patch":
        return sorted({int(n) for n in np.linspace(0, frames - 1, min(SOME, frames))})
    return list(range(frames))


def _read(given: argparse.Namespace, shape: Sequence) -> Answer:
    """Frames into memory that was touched before, and only then their digests: nothing is read meanwhile.

    A long sequence takes the memory of its first frames again, as a player does, and is compared by `check`.
    """
    patch, order = given.task == "patch", numbers(given.task, shape.frames, given.seed)
    rows, columns = shape.patch
    size = (rows.stop - rows.start, columns.stop - columns.start, 3) if patch else shape.shape
    room, came = np.ones((min(len(order), SOME), *size), shape.dtype), []
    begun = _now()
    with frame_files.opened(given.store, shape, given.target) as stored:
        for place, number in enumerate(order):
            (stored.patch if patch else stored.frame)(number, room[place % SOME])
            came.append(time.perf_counter())
    answer = _since(begun)
    with frame_files.opened(given.store, shape, given.target) as stored:
        answer["least_bytes"] = stored.least(order, patch)
    wanted = sequence.digests(given.memory, "patches" if patch else "frames")
    last = range(len(order) - len(room), len(order))
    answer["frames"], answer["held"] = len(order), len(last)
    answer["intact"] = sum(
        sequence.digest(room[place % SOME]) == wanted[order[place] % shape.distinct] for place in last
    )
    answer["late"] = late(came)
    return answer


def _check(given: argparse.Namespace, shape: Sequence) -> Answer:
    wanted, back, intact = sequence.digests(given.memory, "frames"), np.empty(shape.shape, shape.dtype), 0
    with frame_files.opened(given.store, shape, given.target) as stored:
        for number in range(shape.frames):
            stored.frame(number, back)
            intact += sequence.digest(back) == wanted[number % shape.distinct]
    return {"frames": shape.frames, "intact": intact}


def late(came: list[float]) -> int:
    """Frames that come later than a player shows them, which begins AHEAD_SECONDS after the first one; seconds."""
    return sum(moment > came[0] + AHEAD_SECONDS + n / PLAYED for n, moment in enumerate(came))


def _rewrite(given: argparse.Namespace, shape: Sequence) -> Answer:
    """The middle frame becomes the next one; then it is read."""
    number = shape.frames // 2
    samples = np.array(sequence.drawn(shape, given.memory)[number + 1 if number + 1 < shape.frames else 0])
    begun = _now()
    with frame_files.opened(given.store, shape, given.target, writes=True) as stored:
        stored.rewrite(number, samples)
    answer, back = _since(begun), np.empty(shape.shape, shape.dtype)
    with frame_files.opened(given.store, shape, given.target) as stored:
        stored.frame(number, back)
    return answer | {"intact": int(np.array_equal(back, samples))}


def flip(target: Path, seed: int) -> int:
    """Change one bit in the middle 98 % of all stored bytes; returns its place in the order of the files' names.

    Heads and indexes at both ends are a small part of real sequences, and would be a large one of short ones.
    """
    files = sorted(path for path in target.rglob("*") if path.is_file()) if target.is_dir() else [target]
    sizes, chance = [path.stat().st_size for path in files], random.Random(seed)
    at = place = int(sum(sizes) * chance.uniform(0.01, 0.99))
    for path, size in zip(files, sizes, strict=True):
        if place < size:
            with path.open("r+b", buffering=0) as file:
                byte = os.pread(file.fileno(), 1, place)[0]
                os.pwrite(file.fileno(), bytes([byte ^ 1 << chance.randrange(8)]), place)
                os.fsync(file.fileno())
            break
        place -= size
    return at


def _damaged(given: argparse.Namespace, shape: Sequence) -> Answer:
    """What is lost of all frames after one was written again and a bit was flipped."""
    drawn, changed = sequence.drawn(shape, given.memory), shape.frames // 2
    frames = lost = noticed = 0
    back = np.empty(shape.shape, shape.dtype)
    for number in range(shape.frames):
        source = (number + 1) % shape.frames if number == changed else number
        try:
            with frame_files.opened(given.store, shape, given.target) as stored:
                stored.frame(number, back)
            wrong = int(np.count_nonzero(back != drawn[source])) * shape.dtype.itemsize
        except Exception:  # each library has its own errors for damage
            wrong, noticed = shape.frame_bytes, noticed + 1
        frames, lost = frames + (wrong > 0), lost + wrong
    return {"frames": frames, "lost_bytes": lost, "noticed": noticed}


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(begun: tuple[float, float]) -> Answer:
    seconds, cpu_seconds = (now - then for now, then in zip(_now(), begun, strict=True))
    return {"seconds": seconds, "cpu_seconds": cpu_seconds}


def _ended(error: Exception, code: int) -> int:
    """HDF5 reports errors in several lines, and tries in vain to write again when it is closed: skip that."""
    print(" ".join(str(error).split()), file=sys.stderr, flush=True)
    os._exit(code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--memory", type=Path, required=True, help="folder of the drawn frames")
    parser.add_argument("--target", type=Path, help="folder or file on the disk")
    for name in ("store", "content"):
        parser.add_argument(f"--{name}")
    for name in ("frames", "height", "width", "bits", "seed"):
        parser.add_argument(f"--{name}", type=int, default=1)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
