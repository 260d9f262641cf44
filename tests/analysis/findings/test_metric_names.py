"""What a metric means is declared: its name changes no statistic."""

import pytest

from findings_data import DECLARED, Lab
from spindlemark.analysis import database, findings
from spindlemark.core import declared
from spindlemark.core.record import Record

NAMES = {"copy_cpu_seconds": "labour", "copy_bytes_per_second": "pace"}  # neither is a weighted task


@pytest.fixture
def lab(tmp_path) -> Lab:
    made = Lab(tmp_path)
    for subject, factor in (("ext4", 1.0), ("xfs", 2.0), ("btrfs", 0.04)):
        seconds = [factor * x for x in (1.0, 1.01, 0.99, 1.02, 0.98)]
        values = {
            "copy_seconds": seconds,
            "copy_cpu_seconds": seconds,
            "copy_bytes_per_second": [1e6 / x for x in seconds],
        }
        made.measured(subject, values, noisy=[2])
    return made


def _renamed(record: Record) -> Record:
    told = [each.model_copy(update={"metric": NAMES.get(each.metric, each.metric)}) for each in record.measurements]
    return record.model_copy(update={"measurements": told})


def _families() -> dict[str, declared.Declared]:
    """What the families declare, with other names for two metrics."""
    found = {}
    for family, each in declared.families().items():
        metrics = {
            NAMES.get(name, name): metric.model_copy(update={"timed_by": NAMES.get(metric.timed_by, metric.timed_by)})
            for name, metric in each.metrics.items()
        }
        found[family] = each.model_copy(update={"metrics": metrics})
    return found


def _statistics(lab: Lab) -> list[dict]:
    found = findings.compute(lab.root / "x.duckdb", DECLARED, 0.2)
    tables = [table for group in found.groups for table in group.metrics]
    return [table.model_dump(exclude={"metric"}) for table in tables]


def test_a_metric_by_another_name_has_the_same_verdicts(lab):
    database.build(lab.records, lab.root / "x.duckdb")
    before = _statistics(lab)
    for path in lab.records:
        path.write_text(_renamed(Record.model_validate_json(path.read_text())).model_dump_json())
    database.build(lab.records, lab.root / "x.duckdb", families=_families())
    after = _statistics(lab)
    assert len(after) == 3
    assert after == before
    assert any(any(cell["noisy"]) for table in after for cell in table["cells"])
