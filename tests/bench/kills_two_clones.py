"""Two clones that run at once, with Ctrl-C from time to time: one measures at a time, and nothing is lost or left."""

import itertools
import os
import random
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import kills_processes as processes
from kills_clone import Clone, invalid
from kills_leftovers import Left
from spindlemark.core.record import read_record

FAMILY, BUDGET_MINUTES, SHORT_MINUTES = "filesystem_lifecycle", 0.5, 0.05
_PAUSES = 5.0, 25.0  # seconds between two interrupts
_EXPECTED = (0, 130)


@dataclass
class Together:
    """What the minutes of two clones showed."""

    seconds: float
    interrupts: int = 0
    runs: int = 0
    records: list[int] = field(default_factory=list)  # new ones of each clone
    exit_codes: list[int] = field(default_factory=list)  # those that are not expected
    overlaps: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)  # after a last run of each
    stop_seconds: float = 0.0  # the longest

    def failures(self) -> list[str]:
        """What must not be."""
        kinds = ("overlaps", "lost", "changed", "invalid", "left", "exit_codes")
        found = [f"two clones: {kind}: {each}" for kind in kinds for each in getattr(self, kind)]
        return found + [f"two clones: clone {n} has no record" for n, each in enumerate(self.records) if not each]


def play(clones: list[Clone], seconds: float, rng: random.Random) -> Together:
    """Run both for `seconds`."""
    found, before = Together(seconds), [clone.records() for clone in clones]
    end = time.monotonic() + seconds
    running = {n: clone.run(FAMILY, BUDGET_MINUTES, "--no-site") for n, clone in enumerate(clones)}
    while time.monotonic() < end:
        first = running[0]
        processes.wait(first, lambda: False, min(rng.uniform(*_PAUSES), max(0.0, end - time.monotonic())))
        chosen = rng.randrange(len(clones))
        _stop(running[chosen], found)
        for n, clone in enumerate(clones):
            if running[n].poll() is not None:
                found.runs += 1
                found.exit_codes += [running[n].returncode] if running[n].returncode not in _EXPECTED else []
                running[n] = clone.run(FAMILY, BUDGET_MINUTES, "--no-site")
    for n, clone in enumerate(clones):
        _stop(running[n], found)
        if clone.finish(running[n]) not in _EXPECTED:
            found.exit_codes.append(running[n].returncode)
    for clone in clones:  # after Ctrl-C a clean-up does not wait for the other one, and the next run has to do it
        found.exit_codes += [code] if (code := clone.finish(clone.run(FAMILY, SHORT_MINUTES, "--no-site"))) else []
    for clone, earlier in zip(clones, before, strict=True):
        after = clone.records()
        found.records.append(len(after.keys() - earlier.keys()))
        found.lost += sorted(earlier.keys() - after.keys())
        found.changed += sorted(path for path in earlier.keys() & after.keys() if earlier[path] != after[path])
        found.invalid += invalid(sorted(after.keys() - earlier.keys()))
        found.left += clone.left()
    found.overlaps = overlaps([Path(path) for clone in clones for path in clone.records()])
    return found


def overlaps(paths: list[Path]) -> list[str]:
    """Pairs of records of which one began before the other ended."""
    records = sorted((read_record(path) for path in paths), key=lambda record: record.started_at)
    return [
        f"{one.experiment.experiment} #{one.repetition} and {two.experiment.experiment} #{two.repetition}"
        for one, two in itertools.pairwise(records)
        if two.started_at < one.finished_at
    ]


def _stop(process: processes.Popen, found: Together) -> None:
    """Press Ctrl-C: SIGINT to the process group of the command; and wait for its end."""
    if process.poll() is not None:
        return
    found.interrupts += 1
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    processes.wait(process, lambda: process.poll() is not None, 600)
    found.stop_seconds = max(found.stop_seconds, round(time.monotonic() - begun, 1))
