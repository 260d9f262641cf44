"""How long `plan` and a workflow with nothing to do take, on 1,000 and 10,000 experiments that are all measured.

Run: .venv/bin/python tests/bench/bench_plan.py [--json FILE]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path[:0] = [str(Path(__file__).parents[1] / "helpers")]

from project import Project  # noqa: E402

LIBRARIES = 5
MOST = 200  # filesystems of one set
RUNS = 5


def declare(project: Project, experiments: int) -> None:
    """As many ext4 variants as make `experiments` with five libraries, each with one result."""
    names = [f"v{i:05d}" for i in range(experiments // LIBRARIES)]
    variants = "\n".join(f"    {name}: {{mount: [commit={i + 1}]}}" for i, name in enumerate(names))
    project.replace("config/filesystems.yaml", "    m0: {", f"{variants}\n    m0: {{")
    sets = (
        f"- factors:\n    filesystem: [{', '.join(f'ext4+{name}' for name in names[at : at + MOST])}]\n"
        "    library: [picture, sound, video, video-hd, frames]\n"
        for at in range(0, len(names), MOST)
    )
    project.write(
        "config/experiments/filesystem_lifecycle.yaml", "description: made by a benchmark\nsets:\n" + "".join(sets)
    )
    project.replace("config/config.yaml", "profile: tiny", "profile: quick")
    project.replace("config/profiles/quick.yaml", "repetitions: 3", "repetitions: 1")


def fill(project: Project, env: dict[str, str]) -> None:
    """Write the plan's specs and an empty file for each result: neither command reads them."""
    code = (
        "from spindlemark import config\nfrom spindlemark.core import paths\nfrom spindlemark.measure import plan\n"
        "made, specs = plan.make(config.load())\n"
        "plan.write(made, specs)\n"
        "for e in made.experiments:\n"
        "    for r in e.records: (paths.ROOT / r).touch()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=env, cwd=project.root)


def timed(argv: list[str], project: Project, env: dict[str, str], runs: int = RUNS) -> float:
    """Median wall seconds of a command."""
    seconds = []
    for _ in range(runs):
        begun = time.perf_counter()
        subprocess.run(argv, check=True, env=env, cwd=project.root, capture_output=True)
        seconds.append(time.perf_counter() - begun)
    return median(seconds)


def measure(experiments: int) -> dict[str, float]:
    """Both commands on a fresh project of `experiments`."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder) / "project")
        declare(project, experiments)
        env = os.environ | {"SPINDLEMARK_ROOT": str(project.root), "PYTHONPATH": str(project.root / "workflow")}
        fill(project, env)
        return {
            "experiments": experiments,
            "plan_seconds": timed([sys.executable, "-m", "spindlemark", "plan"], project, env),
            "workflow_seconds": timed(
                [sys.executable, "-m", "snakemake", "measured", "--workflow-profile", "workflow/profiles/default"],
                project,
                env,
                3,
            ),
        }


def main() -> None:
    """Print a table; with --json also write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = [measure(n) for n in (1_000, 10_000)]
    print("| experiments, all measured | `plan`, s | Snakemake with nothing to do, s |\n|---:|---:|---:|")
    for row in rows:
        print(f"| {row['experiments']:,} | {row['plan_seconds']:.2f} | {row['workflow_seconds']:.2f} |")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
