"""What a metric means is declared: its name changes no statistic."""

import pytest

from findings_data import DECLARED, Lab
from spindlemark.analysis import database, findings
from spindlemark.analysis.findings.model import Group
from spindlemark.config import questions
from spindlemark.core import declared
from spindlemark.core.errors import UserError
from spindlemark.core.record import Record

FAMILY = "filesystem_lifecycle"
USED = "used_after_copy_bytes"
TASKS = questions.load()[FAMILY]
# Questions name the metrics of their tasks and those next to them; the others get names without any meaning.
NAMES = {
    name: f"number_{place}"
    for place, name in enumerate(declared.metrics(FAMILY))
    if name not in {*TASKS.secondary_metrics, *(task.metric for task in TASKS.tasks.values())}
}
OBSERVED = {"reserved_bytes": 5e7, "inodes_created_count": 9e6, "inodes_needed_count": 1e6, USED: 1e9}


@pytest.fixture
def lab(tmp_path) -> Lab:
    made = Lab(tmp_path)
    for subject, factor in (("ext4", 1.0), ("xfs", 2.0), ("btrfs", 0.04)):
        seconds = [factor * x for x in (1.0, 1.01, 0.99, 1.02, 0.98)]
        values = {
            "copy_seconds": seconds,
            "copy_cpu_seconds": seconds,
            "copy_bytes_per_second": [1e6 / x for x in seconds],
            "format_seconds": seconds,
            **{name: [value] * 5 for name, value in OBSERVED.items()},
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


def _rename(lab: Lab) -> None:
    for path in lab.records:
        path.write_text(_renamed(Record.model_validate_json(path.read_text())).model_dump_json())


def _group(lab: Lab) -> Group:
    [found] = findings.compute(lab.root / "x.duckdb", DECLARED, 0.2).groups
    return found


def _statistics(group: Group) -> list[dict]:
    return [table.model_dump(exclude={"metric"}) for table in group.metrics]


def test_metrics_by_other_names_have_the_same_verdicts_and_observations(lab):
    assert {"copy_cpu_seconds", "copy_bytes_per_second", "inodes_needed_count", USED} <= NAMES.keys()
    database.build(lab.records, lab.root / "x.duckdb")
    before = _group(lab)
    _rename(lab)
    database.build(lab.records, lab.root / "x.duckdb", families=_families())
    after = _group(lab)
    assert len(after.metrics) == 4 + len(OBSERVED)
    assert sorted(map(str, _statistics(after))) == sorted(map(str, _statistics(before)))
    assert any(any(cell.noisy) for table in after.metrics for cell in table.cells)
    assert {each.topic for each in after.observations} == {"inodes", "reserved", "format"}
    assert after.observations == before.observations and after.notes == before.notes


def test_a_part_of_the_device_by_another_name_is_not_larger_than_the_device(lab):
    lab.measured("jfs", {"copy_seconds": [1.0], USED: [1e15]})
    _rename(lab)
    with pytest.raises(UserError, match="more_than_the_device_holds found 1"):
        database.build(lab.records, lab.root / "x.duckdb", families=_families())
