"""The order of measuring: complete blocks, in which each configuration of a workload has each place in turn."""

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spindlemark.measure.pending import Job


def ordered(jobs: "list[Job]", seed: str) -> "list[Job]":
    """Return `jobs` in the order of measuring: complete blocks, each workload's in the rows of a Williams square.

    In each round the workloads come in a seeded random order. Compared configurations are measured close together, so a
    drift of the machine affects all of them equally. Kinds of testbeds come one after the other, so that no virtual
    machine idles during a measurement on the host.
    """
    rounds: dict[tuple[str, int], dict[tuple[str, str], list[Job]]] = {}
    for job in jobs:
        workload = job.experiment.family, job.experiment.workload
        rounds.setdefault((job.experiment.kind, job.round), {}).setdefault(workload, []).append(job)
    found: list[Job] = []
    for key in sorted(rounds):
        rng = random.Random(f"{seed} {key}")
        for workload in rng.sample(sorted(rounds[key]), len(rounds[key])):
            found += _block(rounds[key][workload], f"{seed} {key[0]} {workload}")
    return found


def _block(jobs: "list[Job]", seed: str) -> "list[Job]":
    """A block's jobs in the next row of a Williams square (Williams 1949), whose labels and rows are drawn from `seed`.

    In as many blocks as there are configurations, each is once in each place, and for even numbers once after each other
    one; independent draws had put one configuration first in two of three blocks. The row follows the number of the
    repetition, so that a later run of a session goes on with the square.
    """
    rng, size = random.Random(seed), len(jobs)
    labels = rng.sample(sorted(jobs, key=lambda job: job.experiment.spec), size)
    row = rng.sample(range(size), size)[(min(job.repetition for job in jobs) - 1) % size]
    zigzag = [(place + 1) // 2 * (1 if place % 2 else -1) for place in range(size)]
    return [labels[(step + row) % size] for step in zigzag]
