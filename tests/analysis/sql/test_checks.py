"""Each check finds the fault that it is for, and nothing in sound records."""

from datetime import timedelta

import pytest

import factory
from spindlemark.core.errors import UserError
from spindlemark.core.paths import SQL
from spindlemark.core.record import Measurement

RECORD = factory.record(factory.experiment())


def _values(**values: float) -> list[Measurement]:
    return [m.model_copy(update={"value": values.get(m.metric, m.value)}) for m in RECORD.measurements]


def _unit(name: str, unit: str) -> list[Measurement]:
    return [m.model_copy(update={"unit": unit}) if m.metric == name else m for m in RECORD.measurements]


FAULTS = {
    "duplicate_measurement": {"measurements": [*RECORD.measurements, RECORD.measurements[0]]},
    "unit_mismatch": {"measurements": _unit("copy_bytes_per_second", "1/s")},
    "impossible_value": {"measurements": _values(copy_seconds=-0.1)},
    "missing_metric": {"measurements": []},
    "negative_duration": {"finished_at": RECORD.started_at - timedelta(seconds=1)},
    "more_than_the_device_holds": {"measurements": _values(used_after_copy_bytes=3 << 30)},
    "unexplained_status": {"status": "failed", "measurements": [], "reason": None},
}


@pytest.mark.parametrize("check", FAULTS)
def test_a_fault_in_one_record(check, store, built):
    path = store(**FAULTS[check])
    with pytest.raises(UserError) as error:
        built([store(repetition=2), path])
    assert f"check {check} found" in error.value.problem
    assert str(path).endswith(error.value.problem.split("path=")[1].split()[0])


def test_a_metric_that_other_repetitions_have(store, built):
    with pytest.raises(UserError, match="missing=copy_seconds"):
        kept = [m for m in RECORD.measurements if m.metric != "copy_seconds"]
        built([store(), store(repetition=2, measurements=kept)])


@pytest.mark.parametrize("value", ["1e999", "NaN", "null", '"fast"'])
def test_a_value_that_is_no_number(value, store, built):
    path = store()
    path.write_text(path.read_text().replace('"value":30000000', f'"value":{value}'))
    with pytest.raises(UserError, match="rep-1.json"):
        _flat(lambda: built([path]))


def test_a_direction_that_differs_from_the_rest(store, built):
    turned = [
        m.model_copy(update={"better": "higher" if m.metric == "copy_seconds" else m.better})
        for m in RECORD.measurements
    ]
    with pytest.raises(UserError, match="direction_mismatch.*copy_seconds.*usual_direction=lower"):
        _flat(lambda: built([store(), store(repetition=2), store(repetition=3, measurements=turned)]))


def test_a_command_that_took_less_than_no_time(store, built):
    commands = [command.model_copy(update={"seconds": -1.0}) for command in RECORD.commands]
    with pytest.raises(UserError, match="negative_duration"):
        built([store(commands=commands)])


def test_a_machine_of_which_two_things_are_said(store, built):
    path = store()
    path.write_text(path.read_text().replace('"environment":{', '"environment":{"cpu.model":"Another",', 1))
    with pytest.raises(UserError, match="check duplicate_fact found 1.*name=cpu.model, times=2"):
        _flat(lambda: built([path]))


def test_one_identity_under_two_slugs(store, built):
    with pytest.raises(UserError, match="identity_of_two_experiments"):
        built(
            [
                store(factory.experiment(experiment="ext4--picture")),
                store(factory.experiment(experiment="ext4+same--picture"), 2),
            ]
        )


def test_one_record_given_twice(store, built):
    path = store()
    with pytest.raises(UserError, match="duplicate"):
        built([path, path])


def test_many_faults_are_counted_and_a_few_are_shown(store, built):
    with pytest.raises(UserError, match="found 8:.*and 3 more"):
        _flat(lambda: built([store(repetition=n, **FAULTS["unexplained_status"]) for n in range(1, 9)]))


def test_every_check_has_a_test_and_passes_on_sound_records(built, tmp_path):
    built(factory.write_all(tmp_path, 2))
    tested = {*FAULTS, "direction_mismatch", "duplicate_fact", "identity_of_two_experiments", "duplicate_record"}
    assert {path.stem for path in (SQL / "checks").glob("*.sql")} == tested


def _flat(call) -> None:
    """Let a pattern match over the lines of the message."""
    try:
        call()
    except UserError as error:
        raise UserError(error.problem.replace("\n", " "), error.remedy) from None
