"""Validators that cannot live in the program's environment: theirs is made by uv from its own lock, once."""

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from spindlemark.core.paths import PROJECT

HERE = PROJECT / "tests" / "validators"
PLACE = PROJECT / "data" / "build" / "validators"
UV = PROJECT / "data" / "build" / "bootstrap" / "bin" / "uv"


@cache
def python() -> Path:
    """The interpreter of the validators' environment."""
    subprocess.run(
        [UV, "sync", "--quiet", "--locked", "--project", HERE],
        check=True,
        cwd=HERE,
        env=os.environ | {"UV_PROJECT_ENVIRONMENT": str(PLACE)},
    )
    return PLACE / "bin" / "python"


def validate(script: str, *words: Any) -> Any:
    """What `tests/validators/<script>.py` prints as JSON."""
    done = subprocess.run(
        [python(), "-P", HERE / f"{script}.py", *map(str, words)], text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
