"""How long database and findings take, from a quick profile to many thousands of records.

Run: .venv/bin/python tests/bench/bench_findings.py [--json FILE]
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "helpers")]

import factory  # noqa: E402
import shapes  # noqa: E402

SIZES = ((5, 4, 3), (100, 20, 5), (500, 4, 5))  # groups, subjects in each, repetitions


def write(root: Path, groups: int, subjects: int, repetitions: int) -> None:
    """Synthetic records below `root`, laid out like a release; groups of one library differ in their method."""
    libraries = list(factory.LIBRARIES)
    for group in range(groups):
        for subject in range(subjects):
            exp = factory.experiment(
                "ext4", libraries[group % len(libraries)], f"v{subject}", method=1 + group // len(libraries)
            )
            factory.write(root, exp, repetitions, seed=subject)
    (root / "data/raw").rename(root / "records")


def timed(*argv: object) -> float:
    """Wall seconds of a Python program, its start included."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-P", *map(str, argv)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def measure(groups: int, subjects: int, repetitions: int) -> dict[str, float]:
    """Both commands on one set of records."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, groups, subjects, repetitions)
        database, findings = root / "x.duckdb", root / "findings.json"
        return {
            "records": groups * subjects * repetitions,
            "experiments": groups * subjects,
            "subjects_per_group": subjects,
            "database_seconds": timed("-c", shapes.DATABASE, root / "records", database),
            "findings_seconds": timed(
                "-m", "spindlemark.analysis.findings", database, "--stability", 0.2, "--output", findings
            ),
            "findings_bytes": findings.stat().st_size,
            "largest_bytes_of_memory": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
        }


def main() -> None:
    """Print a table; with --json also write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = [measure(*size) for size in SIZES]
    print(
        "| records | experiments | configurations in a group | database, s | findings, s | findings, MB "
        "| memory so far, MB |\n|---:|---:|---:|---:|---:|---:|---:|"
    )
    for row in rows:
        print(
            f"| {row['records']:,} | {row['experiments']:,} | {row['subjects_per_group']} "
            f"| {row['database_seconds']:.1f} | {row['findings_seconds']:.1f} | {row['findings_bytes'] / 1e6:.1f} "
            f"| {row['largest_bytes_of_memory'] / 1e6:.0f} |"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
