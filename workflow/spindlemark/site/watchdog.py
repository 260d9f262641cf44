"""Runs a program that may hang when it cannot write, as Hugo sometimes does on a full disk."""

import shutil
from pathlib import Path

from spindlemark.core.errors import LEAST_FREE
from spindlemark.core.process import programs

LOOK_SECONDS = 5


def run(argv: list[str], env: dict[str, str], *writes: Path) -> programs.CompletedProcess[str]:
    """Run a program to its end and capture its output; kill it when a folder in `writes` has no space left."""
    with programs.start(argv, env=env, text=True, stdout=programs.PIPE, stderr=programs.PIPE) as process:
        problem = ""
        while True:
            try:
                out, err = process.communicate(timeout=LOOK_SECONDS)
                return programs.CompletedProcess(argv, process.returncode, out, err + problem)
            except programs.TimeoutExpired:
                full = next((folder for folder in writes if shutil.disk_usage(folder).free < LEAST_FREE), None)
                if full:
                    process.kill()
                    problem = f"{full}: no space left on device\n"
            except BaseException:
                process.kill()
                raise
