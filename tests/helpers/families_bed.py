"""One experiment of any family on a bed of its own."""

from pathlib import Path
from typing import Any

import pytest

from bed import PROFILE, Bed
from spindlemark import config
from spindlemark.core.record import Record, read_record
from spindlemark.measure import plan
from spindlemark.testbeds import fingerprint


def planned(bed: Bed, family: str, filesystem: str | None, amount: dict[str, Any], **factors: str) -> Path:
    """The spec file of the only experiment: `amount` is what the profile says of the family."""
    bed.amounts[family] = amount  # experiments of other families may be declared too
    bed.write("profiles", "tiny", PROFILE | {"families": bed.amounts})
    bed.write(
        "experiments",
        family,
        {
            "description": "One",
            "sets": [{"factors": {k: [v] for k, v in {"filesystem": filesystem, **factors}.items() if v}}],
        },
    )
    made, specs = plan.make(config.load(bed.root / "config"), plan.Request(profile="tiny", testbed=bed.testbed))
    plan.write(made, specs, bed.root)
    return bed.root / next(each.spec for each in made.experiments if each.family == family)


def measured(bed: Bed, spec: Path, *words: str) -> Record:
    """Measure one repetition; whatever its status, nothing may stay behind."""
    bed.call(spec, 1, *words)
    assert bed.leftovers() == []
    return read_record(spec.parent / "rep-1.json")


def values(record: Record) -> dict[str, float]:
    return {m.metric: m.value for m in record.measurements}


def held(record: Record, gate: str) -> list[bool]:
    return [g.ok for g in record.validity if g.gate == gate]


@pytest.fixture
def versions_found_anew():
    """For tests that change PATH: what this process has found out of tools before and finds then is forgotten."""
    fingerprint.forget_versions()
    yield
    fingerprint.forget_versions()
