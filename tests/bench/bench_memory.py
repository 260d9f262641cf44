"""What it does to copies that free memory stays: the same copy through the driver, as found and with memory kept.

    sudo python tests/bench/bench_memory.py [--filesystem ext4] [--library video] [--copies 20] [--json FILE]

The device is a file in memory, so that no disk has a part in it. Copies come in four blocks, as found, kept, as found,
kept; before each the kernel has time to report what is free. Needs a machine that reports free pages to a hypervisor.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from bed import Bed
from spindlemark.core.process.lock import machine_lock
from spindlemark.core.record import Command, read_record
from spindlemark.testbeds import memory

FOUND, KEPT = "as found", "kept"
REPORTED_SECONDS = 4  # after two the kernel reports what is free


def copies(bed: Bed, spec: Path, repetitions: range) -> list[Command]:
    """The cp of each repetition."""
    done = []
    for n in repetitions:
        time.sleep(REPORTED_SECONDS)
        bed.call(spec, n)
        record = read_record(spec.parent / f"rep-{n}.json")
        done += [command for command in record.commands if command.argv[0] == "cp"]
    return done


def blocks(bed: Bed, spec: Path, count: int) -> dict[str, list[Command]]:
    """`count` copies of each kind, in two blocks each."""
    found: dict[str, list[Command]] = {FOUND: [], KEPT: []}
    copies(bed, spec, range(1, 2))  # makes the library
    bounds = [2 + count * part // 2 for part in range(5)]
    for kind, first, after in zip((FOUND, KEPT, FOUND, KEPT), bounds, bounds[1:], strict=False):
        with machine_lock():
            if kind == KEPT:
                memory.keep(lambda: print("making memory resident", file=sys.stderr))
            else:
                memory.restore()
        found[kind] += copies(bed, spec, range(first, after))
    return found


def table(found: dict[str, list[Command]]) -> list[str]:
    """Markdown lines; times are those of cp over the median of what was kept."""
    unit = statistics.median(command.seconds for command in found[KEPT])
    lines = [
        "| free memory | copies | median | fastest | slowest | scatter | system time / time | minor faults |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, commands in found.items():
        seconds = [command.seconds / unit for command in commands]
        system = statistics.median(command.system_seconds / command.seconds for command in commands)
        lines.append(
            f"| {kind} | {len(seconds)} | {statistics.median(seconds):.2f} | {min(seconds):.2f} | "
            f"{max(seconds):.2f} | {statistics.stdev(seconds) / statistics.mean(seconds):.0%} | "
            f"{system:.2f} | {statistics.median(command.minor_faults for command in commands):.0f} |"
        )
    return [*lines, "", f"1 is {unit:.3f} s; scatter is the standard deviation over the mean."]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filesystem", default="ext4")
    parser.add_argument("--library", default="video")
    parser.add_argument("--copies", type=int, default=20, help="of each kind")
    parser.add_argument("--json", type=Path, help="write what cp cost each time here")
    given = parser.parse_args()
    if memory.facts()["memory.page_reporting_order"] is None:
        raise SystemExit("this kernel reports no free pages to anybody: there is nothing to compare")
    with tempfile.TemporaryDirectory(prefix="spindlemark-bench-", dir="/dev/shm") as folder:
        bed = Bed(Path(folder))
        try:
            spec = bed.spec(
                given.filesystem,
                given.library,
                image_size="1 GiB",
                libraries={"video": {"files": 0.004, "size": 0.2}, "picture": {"files": 0.006, "size": 0.05}},
            )
            found = blocks(bed, spec, given.copies)
        finally:
            bed.remove()  # which lets the kernel report free memory again
    print(f"{given.filesystem}, {given.library}, cp alone\n", *table(found), sep="\n")
    if given.json:
        given.json.write_text(
            json.dumps(
                {kind: [c.model_dump(mode="json") for c in commands] for kind, commands in found.items()}, indent=1
            )
            + "\n"
        )


if __name__ == "__main__":
    main()
