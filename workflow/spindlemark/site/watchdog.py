"""A program that may wait permanently once it could not write: Hugo does so now and then on a full disk."""

import shutil
from pathlib import Path

from spindlemark.core.errors import LEAST_FREE
from spindlemark.core.process import programs

LOOK_SECONDS = 5


def run(argv: list[str], env: dict[str, str], *writes: Path) -> programs.CompletedProcess[str]:
    """Run to the end and keep what it prints; it is ended when nothing more fits into one of the folders it writes to."""
    with programs.start(argv, env=env, text=True, stdout=programs.PIPE, stderr=programs.PIPE) as process:
        told = ""
        while True:
            try:
                out, err = process.communicate(timeout=LOOK_SECONDS)
                return programs.CompletedProcess(argv, process.returncode, out, err + told)
            except programs.TimeoutExpired:
                full = next((folder for folder in writes if shutil.disk_usage(folder).free < LEAST_FREE), None)
                if full:
                    process.kill()
                    told = f"{full}: no space left on device\n"
            except BaseException:
                process.kill()
                raise
