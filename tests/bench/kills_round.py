"""One round: start a run, kill it or a part of it at a random moment, and compare what was there before and after."""

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from subprocess import Popen

import kills_processes as processes
from kills_clone import NETWORKS, Clone, invalid
from kills_leftovers import Left

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
COMMAND, ALL, SNAKEMAKE, DRIVER = "command", "all processes", "Snakemake", "driver"
# A repetition of network_share alone takes a quarter of a minute.
BUDGET_MINUTES, NETWORK_MINUTES, SHORT_MINUTES = 0.25, 1.0, 0.05
_TRIAL_SECONDS = 300  # until a trial begins
_SITE_SHARE = 0.2  # of the runs build the site too
_LATER_SECONDS = 2.0  # in a trial
# Steps before and after the trials of a network family.
_AROUND = {
    "",
    "trial",
    "making memory resident",
    "prepare",
    "format",
    "mount",
    "unmount",
    "films",
    "configuration",
    "store",
}


@dataclass
class Round:
    """What one round showed. Left is empty where nothing was left; `left_after_next` is None where no next run was needed."""

    number: int
    family: str
    signal: str
    target: str
    at: str  # seconds after the start, or the step
    exit_code: int = 0
    next_exit_code: int | None = None
    ended_before: bool = False
    hung: bool = False
    stop_seconds: float | None = None  # None where the run goes on
    records: int = 0
    lost: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    left_after_next: list[Left] | None = None

    def cleans_at_once(self) -> bool:
        """Whether nothing may be left before the next run: no process was killed by SIGKILL."""
        return self.signal != signal.SIGKILL.name or self.ended_before

    def failures(self) -> list[str]:
        """What must not be."""
        found = [f"{kind}: {path}" for kind in ("lost", "changed", "invalid") for path in getattr(self, kind)]
        if self.cleans_at_once():
            found += [f"left at once: {each}" for each in self.left]
        found += [f"left after the next run: {each}" for each in self.left_after_next or []]
        if self.hung:
            found.append("did not end")
        if self.ended_before and self.exit_code:
            found.append(f"ended with exit code {self.exit_code} before it was killed")
        if self.next_exit_code:
            found.append(f"the next run ended with exit code {self.next_exit_code}")
        return found


def targets(number: int) -> tuple[signal.Signals, str]:
    """Signals in turn; every third round goes to a part, and half of the other SIGKILL to every process of the run."""
    sign = SIGNALS[number % len(SIGNALS)]
    if number % 3 == 2:
        return sign, (SNAKEMAKE, DRIVER)[(number // 3 + number // 12) % 2]
    return sign, ALL if sign == signal.SIGKILL and number // 4 % 2 else COMMAND


def play(clone: Clone, number: int, family: str, longest_seconds: dict[bool, float], rng: random.Random) -> Round:
    """Play one round and return what it showed. `longest_seconds` of a run: with the site, and without it."""
    sign, target = targets(number)
    before = clone.records()
    network, site = family in NETWORKS, rng.random() < _SITE_SHARE
    delay = rng.uniform(0, _LATER_SECONDS if network else longest_seconds[site])
    found = Round(number, family, sign.name, target, f"{delay:.2f} s")
    minutes = NETWORK_MINUTES if network else BUDGET_MINUTES
    process = clone.run(family, minutes, *(() if site else ("--no-site",)))
    if network:
        processes.wait(process, lambda: process.poll() is not None or in_trial(clone, family), _TRIAL_SECONDS)
        found.at = f"{clone.step()[1]} + {delay:.2f} s"
    processes.wait(process, lambda: process.poll() is not None, delay)
    found.ended_before = not _killed(process, sign, target)
    begun = time.monotonic()
    found.exit_code, found.hung = clone.finish(process), clone.hung
    if target in (COMMAND, ALL) and not found.ended_before:
        found.stop_seconds = round(time.monotonic() - begun, 1)
    found.left = clone.left()
    if found.left or sign == signal.SIGKILL:
        found.next_exit_code = clone.finish(clone.run(family, SHORT_MINUTES, "--no-site", "--no-adaptive"))
        found.left_after_next = clone.left()
        clone.before |= {*found.left_after_next}  # reported once
    _compare(found, before, clone.records())
    return found


def in_trial(clone: Clone, family: str) -> bool:
    """Whether a trial of the family runs now."""
    now, step = clone.step()
    return now == family and step not in _AROUND


def _compare(found: Round, before: dict[str, str], after: dict[str, str]) -> None:
    found.records = len(after.keys() - before.keys())
    found.lost = sorted(before.keys() - after.keys())
    found.changed = sorted(path for path in before.keys() & after.keys() if before[path] != after[path])
    found.invalid = invalid(sorted(after.keys() - before.keys()))


def _killed(process: Popen, sign: signal.Signals, target: str) -> bool:
    """Send the signal; returns False where the run, or the part of it, had ended already."""
    if target in (COMMAND, ALL):
        chosen = {process.pid: None} | (processes.below(process.pid) if target == ALL else {})
        if process.poll() is not None:
            return False
    else:
        is_target: Callable = {SNAKEMAKE: processes.is_snakemake, DRIVER: processes.is_driver}[target]
        chosen = {}

        def appeared() -> bool:
            chosen.update({pid: None for pid, each in processes.below(os.getpid()).items() if is_target(each)})
            return bool(chosen) or process.poll() is not None

        processes.wait(process, appeared, _TRIAL_SECONDS)
        if not chosen:
            return False
    for pid in chosen:
        with suppress(ProcessLookupError):
            os.kill(pid, sign)
    return True
