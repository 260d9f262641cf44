"""What the harness adds: a family's steps through the driver against the same commands bare, in turns.

    sudo python tests/bench/bench_overhead.py [--filesystem ext4] [--library picture] [--rounds 10] [--json FILE]

"Bare" runs the commands of a driver's record, in its order and on an image of the same kind, with nothing but a clock
around each, and drops caches where the driver does. Both look for the program before the clock starts, on the caches
just dropped (or else one of the two reads folders of programs from the disk in its time), both mount where nobody else
sees it, and free memory stays resident. Each round starts with the other one. A ratio is the median over the rounds of
driver / bare in the same round; its interval is that of the median of the pairs (bootstrap). The last row is what a
repetition costs beyond its commands: starting Python, environment, image, gates, record.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from bed import Bed
from spindlemark.core.process import programs
from spindlemark.core.record import Record, read_record
from spindlemark.harness.repetition import drop_caches
from spindlemark.testbeds import image, kernel, memory, mountpoint

STEPS = ("format", "mount", "copy", "unmount", "check", "remount", "delete")
WARM = ("unmount",)


def through_driver(bed: Bed, spec: Path, repetition: int) -> tuple[Record, float]:
    """The record of one repetition, and the wall seconds of the whole process."""
    begun = time.perf_counter()
    bed.call(spec, repetition)
    return read_record(spec.parent / f"rep-{repetition}.json"), time.perf_counter() - begun


def bare(record: Record, bed: Bed) -> dict[str, float]:
    """Step -> seconds of the same commands on an image and device of the same kind."""
    file = image.make(bed.images, bed.testbed, record.experiment.fingerprint["device"]["bytes"])
    theirs = next(command.argv[-1] for command in record.commands if command.step == "mount")  # gone with its process
    point = mountpoint.own()
    point.mkdir(exist_ok=True)
    node = subprocess.run(
        ["losetup", "--find", "--show", "--direct-io=on", file], check=True, capture_output=True, text=True
    ).stdout.strip()
    used = next(command.argv[-1] for command in record.commands if command.step == "format")
    subprocess.run(["sync"], check=True)
    spent = dict.fromkeys(STEPS, 0.0)
    step = None
    for command in record.commands:
        if command.step not in STEPS:
            continue
        if command.step != step:
            step = command.step
            if step not in WARM:
                drop_caches()
        argv = [node if word == used else word.replace(theirs, str(point)) for word in command.argv]
        program = programs.find(argv[0])
        begun = time.perf_counter()
        subprocess.run(
            argv,
            executable=program,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=bed.root,
        )
        spent[step] += time.perf_counter() - begun
    subprocess.run(["losetup", "--detach", node], check=True)
    file.unlink()
    point.rmdir()
    return spent


def rounds(bed: Bed, spec: Path, count: int) -> list[dict[str, float]]:
    """One row per round: step -> ratio driver / bare, the milliseconds between them, and the rest of the repetition."""
    first, _ = through_driver(bed, spec, 1)
    bare(first, bed)
    rows = []
    for n in range(2, count + 2):
        if n % 2:
            plain = bare(first, bed)
            record, wall = through_driver(bed, spec, n)
        else:
            record, wall = through_driver(bed, spec, n)
            plain = bare(first, bed)
        driven = {s: sum(c.seconds for c in record.commands if c.step == s) for s in STEPS}
        rows.append(
            {f"{s} ratio": driven[s] / plain[s] for s in STEPS}
            | {f"{s} bare": plain[s] for s in STEPS}
            | {f"{s} more": driven[s] - plain[s] for s in STEPS}
            | {
                "all ratio": sum(driven.values()) / sum(plain.values()),
                "all bare": sum(plain.values()),
                "all more": sum(driven.values()) - sum(plain.values()),
                "rest": wall - sum(driven.values()),
            }
        )
    return rows


def interval(values: list[float]) -> tuple[float, float]:
    """95 % bootstrap interval of the median."""
    draws = np.random.default_rng(1).choice(values, (4000, len(values)))
    return tuple(np.quantile(np.median(draws, axis=1), [0.025, 0.975]))


def table(rows: list[dict[str, float]]) -> list[str]:
    """Markdown lines."""
    lines = ["| step | bare, s | driver / bare | 95 % interval | more, ms |", "|---|---|---|---|---|"]
    for step in (*STEPS, "all"):
        column = {kind: [row[f"{step} {kind}"] for row in rows] for kind in ("ratio", "bare", "more")}
        low, high = interval(column["ratio"])
        lines.append(
            f"| {step} | {statistics.median(column['bare']):.3f} | {statistics.median(column['ratio']):.3f} | "
            f"{low:.3f} to {high:.3f} | {1000 * statistics.median(column['more']):+.1f} |"
        )
    return [*lines, f"| rest of the repetition | | | | {1000 * statistics.median(r['rest'] for r in rows):.0f} |"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filesystem", default="ext4")
    parser.add_argument("--library", default="picture")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", type=Path, help="write every round here")
    given = parser.parse_args()
    kernel.own_mount_namespace()
    with tempfile.TemporaryDirectory(prefix="spindlemark-bench-") as folder:
        bed = Bed(Path(folder))
        try:
            memory.keep(lambda: print("making memory resident", file=sys.stderr))
            spec = bed.spec(
                given.filesystem,
                given.library,
                image_size="1 GiB",
                libraries={"picture": {"files": 0.004, "size": 0.2}, "sound": {"files": 0.003, "size": 0.3}},
            )
            rows = rounds(bed, spec, given.rounds)
        finally:
            bed.remove()  # which lets the kernel report free memory again
    print(f"{given.filesystem}, {given.library}, {given.rounds} rounds\n", *table(rows), sep="\n")
    if given.json:
        given.json.write_text(
            json.dumps({"filesystem": given.filesystem, "library": given.library, "rounds": rows}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
