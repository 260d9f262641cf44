"""What draws, stores and reads frames, as a program of its own: `python -P -m spindlemark.families.frame_storage.frame_program TASK ...`.

It times itself, from the first opening to the last closing of a file, so that neither the start of Python nor the check
of the frames is in it, and prints its answer as JSON: seconds, those of the processors, frames that came back as
they were drawn, and bytes that the disk must have given. It ends with 1 where storing failed, and with
UNAVAILABLE where a filter is missing; the last line on standard error says why.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from spindlemark.families.frame_storage import frame_files, sequence
from spindlemark.families.frame_storage.sequence import Sequence

UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h
READS = ("row", "single", "patch")
TASKS = ("draw", "source", "write", *READS)
Answer = dict[str, float]


def main(words: list[str]) -> int:
    """Do one task; returns the exit code."""
    given = _parser().parse_args(words)
    shape = Sequence(given.frames, given.height, given.width, given.bits)
    try:
        print(json.dumps(_do(given, shape)), flush=True)
    except frame_files.FilterMissingError as error:
        return _ended(error, UNAVAILABLE)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        return _ended(error, 1)
    return 0


def _do(given: argparse.Namespace, shape: Sequence) -> Answer:
    if given.task == "draw":
        sequence.draw(shape, given.content, given.seed, given.memory)
        return {}
    if given.task in ("source", "write"):
        samples = sequence.drawn(shape, given.memory)
        begun = _now()
        frame_files.write("contiguous" if given.task == "source" else given.store, samples, given.target)
        return _since(begun)
    return _read(given, shape)


def _read(given: argparse.Namespace, shape: Sequence) -> Answer:
    """All frames into memory that was touched before, and only then their digests: nothing is read meanwhile."""
    patch = given.task == "patch"
    rows, columns = shape.patch
    size = (rows.stop - rows.start, columns.stop - columns.start, 3) if patch else shape.shape
    room = np.ones((shape.frames, *size), shape.dtype)
    order = np.arange(shape.frames)
    if given.task == "single":
        order = np.random.default_rng(given.seed).permutation(order)
    begun = _now()
    with frame_files.opened(given.store, shape, given.target) as stored:
        for number in order:
            (stored.patch if patch else stored.frame)(int(number), room[number])
    answer = _since(begun)
    with frame_files.opened(given.store, shape, given.target) as stored:
        answer["least_bytes"] = stored.least(patch)
    wanted = sequence.digests(given.memory, "patches" if patch else "frames")
    answer["intact"] = sum(sequence.digest(each) == one for each, one in zip(room, wanted, strict=True))
    return answer


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
