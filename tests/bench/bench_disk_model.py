"""The model of a hard disk against published figures, in its own time and as a block device under fio.

    sudo .venv/bin/python tests/bench/bench_disk_model.py

Without root, or with the argument model, only the model in its own time. docs/methods/disk-model.md has the table.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from disk_loads import BLOCK, GIB, MIB, consecutive, new, run, scattered
from spindlemark import config
from spindlemark.core.process.command import execute
from spindlemark.core.process.lock import machine_lock
from spindlemark.testbeds import disk_model
from spindlemark.testbeds.drive.mechanism import READ

SIZE, FIO_SECONDS = 2 * GIB, 15
ACCESS, LATENCY = 7.7e-3, 4.16e-3  # printed: average access time for reads with overhead, average latency
TWINS = 100 / 142  # printed of the disk before this one: sustained rate by internal rate


def strokes(start: int, far: int, count: int = 400) -> list[tuple[str, int, int]]:
    """Reads that alternate between two parts of the disk, at other angles each time."""
    places = [(start, far)[n % 2] + n * 31 * BLOCK for n in range(count)]
    return [(READ, at, at + BLOCK) for at in places]


def alternating(device: Path | None, start: float, far: float) -> float:
    """Mean milliseconds of a read after a seek between two shares of the disk's bytes."""
    orders = strokes(*(int(SIZE * share) // MIB * MIB for share in (start, far)))
    if device is None:
        return statistics.fmean(run(new(SIZE), orders, 1).latencies) * 1000
    replay = "\n".join(["fio version 2 iolog", f"{device} add", f"{device} open"])
    replay += "".join(f"\n{device} read {start} {BLOCK}" for _, start, _ in orders) + f"\n{device} close\n"
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(replay)
        file.flush()
        done = fio(device, f"--read_iolog={file.name}", "--replay_no_stall=1")
    return done["lat_ns"]["mean"] / 1e6


def fio(device: Path, *words: str) -> dict:
    """The figures of one load."""
    argv = ["fio", "--name=load", f"--filename={device}", "--direct=1", "--ioengine=libaio", "--output-format=json"]
    told = subprocess.run([*argv, *words], capture_output=True, text=True, check=True, timeout=300).stdout
    done = json.loads(told[told.index("{") :])["jobs"][0]
    return done["read"] if done["read"]["io_bytes"] else done["write"]


def random_reads(device: Path | None, depth: int) -> float:
    """4 KiB reads per second."""
    if device is None:
        return run(new(SIZE), scattered(SIZE, 6000), depth).per_second
    words = ["--rw=randread", "--bs=4k", f"--iodepth={depth}", "--time_based", f"--runtime={FIO_SECONDS}"]
    return fio(device, *words)["iops"]


def sequential(device: Path | None) -> float:
    """Bytes per second at the outermost tracks, 1 MiB at a time."""
    if device is None:
        return run(new(SIZE), consecutive(0, 100, MIB), 1).rate
    return fio(device, "--rw=read", "--bs=1m", "--iodepth=1", "--size=100m")["bw_bytes"]


def rows(device: Path | None) -> dict[str, float]:
    """Every figure of the table."""
    alone, sixteen, thirty_two = (random_reads(device, depth) for depth in (1, 16, 32))
    return {
        "random 4 KiB reads per second, one at a time": alone,
        "the same, 16 at once": sixteen,
        "the same, 32 at once": thirty_two,
        "gain of 16 at once": sixteen / alone,
        "gain of 32 at once": thirty_two / alone,
        "read after a full stroke, ms": alternating(device, 0, 1 - 0.03),
        "read between 1/4 and 3/4 of all bytes, ms": alternating(device, 0.25, 0.75),
        "read between 1/4 and 1/2 of all bytes, ms": alternating(device, 0.25, 0.5),
        "sequential reads at the outermost tracks, MB/s": sequential(device) / 1e6,
    }


PUBLISHED = {
    "random 4 KiB reads per second, one at a time": 1 / (ACCESS + LATENCY),
    "the same, 16 at once": 168.0,
    "gain of 16 at once": 168 * (ACCESS + LATENCY),
    "read after a full stroke, ms": 17.26 + LATENCY * 1000,
    # diskinfo -t of a disk of 750 GB whose model is not named.
    "read between 1/4 and 3/4 of all bytes, ms": 14.541,
    "read between 1/4 and 1/2 of all bytes, ms": 11.449,
    "sequential reads at the outermost tracks, MB/s": 163 * TWINS,
}


def main() -> None:
    """Print the table."""
    found = [rows(None)]
    if os.geteuid() == 0 and "model" not in sys.argv:
        declared = config.load().testbeds["hdd"]
        with machine_lock(), disk_model.opened("bench", declared, SIZE, {"scheduler": "none"}, _run) as device:
            found.append(rows(device.node))
            report = device.facts()
        disk_model.clean("bench", declared)
    print(
        "| figure | published | model | difference | fio on the device | difference |\n|---|---:|---:|---:|---:|---:|"
    )
    for name in found[0]:
        printed = PUBLISHED.get(name)
        cells = [f"{printed:.4g}" if printed else "-"]
        for each in found:
            cells += [f"{each[name]:.4g}", f"{each[name] / printed - 1:+.1%}" if printed else "-"]
        print(f"| {name} | {' | '.join(cells)} |")
    if len(found) > 1:
        late = report["device.model.late_mean_seconds"], report["device.model.late_most_seconds"]
        print(
            f"\nAnswers of the device were late by {late[0] * 1000:.2f} ms on average, {late[1] * 1000:.1f} ms at most."
        )


def _run(argv: list[str]) -> object:
    return execute(argv, 60)


if __name__ == "__main__":
    main()
