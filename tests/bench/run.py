"""Run every benchmark of the program itself and write their tables to tests/bench/README.md.

Run on an otherwise idle machine: .venv/bin/python tests/bench/run.py [NAME ...]
"""

import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from spindlemark.testbeds.computer import cpu_model

HERE = Path(__file__).parent
TABLES = HERE / "README.md"
HEAD = """\
# Benchmarks of the program itself

How fast Spindlemark is, not what it measures. `.venv/bin/python tests/bench/run.py` runs all of them and writes this page;
with names, as `run.py plan site`, only those. Machines differ and are noisy: ratios of one run mean more than seconds.
"""


def section(script: Path) -> str:
    """Run one benchmark and return its heading, what it says about itself, its table and where it ran."""
    name = script.stem.removeprefix("bench_")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=HERE.parents[1], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{script}: ended with exit code {done.returncode}\n{done.stdout}{done.stderr}")
    about = re.search(r'"""(.*?)\n\n', script.read_text(), re.DOTALL)[1].replace("\n", " ")
    where = (
        f"{datetime.now(UTC):%Y-%m-%d}, Linux {platform.release()}, {os.cpu_count()} x {cpu_model()}, "
        f"load {os.getloadavg()[0]:.1f} at the end; `.venv/bin/python tests/bench/{script.name}`"
    )
    return f"## {name}\n\n{about}\n\n{done.stdout.strip()}\n\n{where}\n"


def main() -> None:
    """Run the benchmarks named on the command line, or all, and keep the sections of the others."""
    scripts = {script.stem.removeprefix("bench_"): script for script in sorted(HERE.glob("bench_*.py"))}
    chosen = sys.argv[1:] or list(scripts)
    unknown = [name for name in chosen if name not in scripts]
    if unknown:
        raise SystemExit(f"no benchmark is called {', '.join(unknown)}; there are: {', '.join(scripts)}")
    old = re.split(r"^(?=## )", TABLES.read_text(), flags=re.MULTILINE)[1:] if TABLES.exists() else []
    sections = {part.split("\n", 1)[0].removeprefix("## "): part.strip() + "\n" for part in old}
    for name in chosen:
        print(f"{name} ...", flush=True)
        sections[name] = section(scripts[name])
        kept = [sections[n] for n in scripts if n in sections]
        TABLES.write_text("\n".join([HEAD, *kept]))


if __name__ == "__main__":
    main()
