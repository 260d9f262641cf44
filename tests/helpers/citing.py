"""What a citation says was measured, and the schemas that other packages carry."""

import json
from datetime import date
from importlib import resources

from spindlemark.release.citation.citation_model import Measured, Variable

DAY = date(2026, 11, 21)


def measured(statement: str = "Two filesystems on a loop file.") -> Measured:
    return Measured(
        statement=statement,
        profile="quick",
        testbeds=["loop"],
        families={"filesystem_lifecycle": 1},
        configurations=["ext4", "xfs"],
        libraries=["picture"],
        experiments=2,
        repetitions=6,
        statuses={"ok": 6},
        measurements=90,
        first=date(2026, 11, 20),
        last=DAY,
        commits=[],
        variables=[Variable(name="copy_seconds", title="Copy", unit="s", better="lower", description="cp and sync")],
    )


def vendored(package: str, path: str) -> dict:
    return json.loads(resources.files(package).joinpath(path).read_text(encoding="utf-8"))
