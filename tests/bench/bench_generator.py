"""How fast libraries are generated, against the fastest ordinary tools, in the same run and in turns.

    python tests/bench/bench_generator.py [--profile quick] [--rounds 5] [--json FILE] [--folder /dev/shm]

Every contender writes the same number of bytes to the same folder. `generate` and `cp -r` make the whole tree of files;
`head`, `dd` and `openssl` write one single file, which is less work. `cp`, `head` and `dd` only copy bytes that are
ready in memory. Each round has its own order. One round that does not count goes first: memory that a virtual machine
touches for the first time is slow.
"""

import argparse
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from spindlemark import config
from spindlemark.families.shared import media

GENERATE = "generate"
AS_PROCESS = "generate, new process"


def contenders(library: dict, ready: Path, single: Path, target: Path) -> dict[str, Callable[[], None]]:
    """Name -> a call that writes the library's bytes to `target`."""

    def command(*argv: str | Path) -> Callable[[], None]:
        return lambda: subprocess.run([str(part) for part in argv], check=True, stderr=subprocess.DEVNULL) and None

    script = f"from spindlemark.families.shared import media; media.generate({library!r}, {str(target)!r})"
    key, vector = "1" * 64, "2" * 32
    return {
        GENERATE: lambda: media.generate(library, target),
        AS_PROCESS: command(sys.executable, "-c", script),
        "cp -r": command("cp", "-r", ready, target),
        "head -c": command("sh", "-c", f'head -c {library["total"]} "$1" > "$2"', "sh", single, target),
        "dd bs=1M": command("dd", f"if={single}", f"of={target}", "bs=1M"),
        "openssl aes-256-ctr": command(
            "openssl", "enc", "-aes-256-ctr", "-K", key, "-iv", vector, "-nosalt", "-in", single, "-out", target
        ),
    }


def seconds(call: Callable[[], None], target: Path) -> float:
    """Wall seconds of one call; deletes what it wrote."""
    begun = time.perf_counter()
    call()
    spent = time.perf_counter() - begun
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    return spent


def measure(library: dict, folder: Path, rounds: int) -> dict[str, list[float]]:
    """Name -> seconds of each round that counts."""
    ready, single, target = folder / "ready", folder / "single", folder / "target"
    media.generate(library, ready)
    with single.open("wb") as file:
        for path in sorted(ready.rglob("*")):
            if path.is_file():
                file.write(path.read_bytes())
    calls = contenders(library, ready, single, target)
    samples: dict[str, list[float]] = {name: [] for name in calls}
    order = random.Random(1)
    for turn in range(rounds + 1):
        for name in order.sample(sorted(calls), len(calls)):
            spent = seconds(calls[name], target)
            if turn:
                samples[name].append(spent)
    shutil.rmtree(ready)
    single.unlink()
    return samples


def row(library: dict, samples: dict[str, list[float]]) -> dict:
    """Medians in seconds, speed in bytes/s, and each contender's time as a multiple of generate's in the same round."""
    medians = {name: statistics.median(values) for name, values in samples.items()}
    ratios = {
        name: statistics.median(other / own for other, own in zip(values, samples[GENERATE], strict=True))
        for name, values in samples.items()
    }
    return {
        "library": library["name"],
        "files": library["files"],
        "total_bytes": library["total"],
        "median_seconds": medians,
        "ratio_to_generate": ratios,
        "samples_seconds": samples,
        "generate_bytes_per_second": library["total"] / medians[GENERATE],
    }


def table(rows: list[dict]) -> str:
    """Markdown: median seconds and, in brackets, the median of the round's ratio to generate (above 1: slower)."""
    names = list(rows[0]["median_seconds"])
    lines = ["| library | files | MB | generate MB/s | " + " | ".join(names) + " |", "|---" * (len(names) + 4) + "|"]
    for entry in rows:
        cells = [f"{entry['median_seconds'][name]:.3f} s ({entry['ratio_to_generate'][name]:.2f})" for name in names]
        lines.append(
            f"| {entry['library']} | {entry['files']} | {entry['total_bytes'] / 1e6:.0f} "
            f"| {entry['generate_bytes_per_second'] / 1e6:.0f} | " + " | ".join(cells) + " |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure each library of a profile and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    registry = config.load()
    profile = config.choose(registry.profiles, options.profile, "profile", "--profile")
    rows = []
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="spindlemark-bench-") as folder:
        for name, scale in profile.libraries.items():
            library = media.resolve(name, registry.libraries[name], scale, profile.content, registry.config.seed)
            rows.append(row(library, measure(library, Path(folder), options.rounds)))
    print(table(rows))
    if options.json:
        options.json.write_text(
            json.dumps(
                {
                    "benchmark": "generator",
                    "profile": options.profile,
                    "rounds": options.rounds,
                    "cpus": os.cpu_count(),
                    "kernel": platform.release(),
                    "load_average": os.getloadavg(),
                    "rows": rows,
                },
                indent=2,
            )
            + "\n"
        )


if __name__ == "__main__":
    main()
