"""Each check finds the fault that it is for, and nothing in sound records."""

from datetime import timedelta
from pathlib import Path

import pytest

import factory
from spindlemark.analysis import database
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


LIMITED = {"fingerprint": {"device": {"kind": "ram", "throttle": {"read": 560_000_000, "write": 530_000_000}}}}
METHOD = 99  # later than every erratum
STREAMS = {"rate": {"bytes_per_second": 3125000.0}, "streams": {"most_streams": 480}}


@pytest.fixture
def released(built, tmp_path):
    """Build a database of records, and check it as a release does."""

    def check(records: list[Path]) -> None:
        built(records)
        database.require_plausible(tmp_path / "x.duckdb")

    return check


def _experiment(family: str, name: str, factors: dict, **changes):
    return factory.experiment(
        **{"family": family, "experiment": name, "factors": factors, "method": METHOD} | LIMITED | changes
    )


def _streams(sustained: float, failed: float, read: float = 500e6) -> list[Measurement]:
    return [
        Measurement(metric="streams_sustained_count", unit="1", value=sustained, better="higher"),
        Measurement(metric="streams_failed_count", unit="1", value=failed, better="none"),
        Measurement(metric="streams_read_bytes_per_second", unit="B/s", value=read, better="higher"),
    ]


def _ended(by: str) -> dict:
    return {"environment": RECORD.environment | {"streams.limited_by": by}}


@pytest.mark.parametrize(
    ("values", "limited_by", "check"),
    [
        (_streams(179, 192), "device", None),
        (_streams(182, 192), "device", None),
        (_streams(192, 206), "device", "more_than_the_device_gives.*bytes_per_second=600000000.0"),
        (_streams(170, 179, 572e6), "device", "more_than_the_device_gives.*metric=streams_read_bytes_per_second"),
        (_streams(170, 0), "most_streams", None),
        (_streams(170, 0), "device", "unmarked_cap.*marked=False, at_cap=False, none_failed=True"),
        (_streams(170, 179), "most_streams", "unmarked_cap.*marked=True"),
    ],
)
def test_a_number_of_streams_is_what_the_device_can_feed_or_marked_as_a_cap(values, limited_by, check, store, released):
    experiment = _experiment("concurrent_streams", "ext4--25-mbit", STREAMS)
    records = [store(experiment, measurements=values, **_ended(limited_by))]
    if check is None:
        released(records)
        return
    with pytest.raises(UserError, match=check):
        _flat(lambda: released(records))


def test_a_known_error_of_an_earlier_method_is_left_out(store, released):
    experiment = _experiment("concurrent_streams", "ext4--25-mbit", STREAMS, method=3)
    released([store(experiment, measurements=_streams(192, 206), **_ended("device"))])


def test_an_invalid_number_is_not_published_so_it_is_not_checked(store, released):
    experiment = _experiment("concurrent_streams", "ext4--25-mbit", STREAMS)
    released([store(experiment, status="invalid", measurements=_streams(192, 206), **_ended("device"))])


def test_a_largest_number_that_is_the_largest_tried_is_marked(store, released):
    experiment = _experiment("concurrent_streams", "ext4--25-mbit", STREAMS | {"streams": {"most_streams": 170}})
    with pytest.raises(UserError, match="unmarked_cap.*at_cap=True"):
        _flat(lambda: released([store(experiment, measurements=_streams(170, 171), **_ended("device"))]))


def test_a_modelled_disk_gives_no_more_than_its_interface(store, released):
    model = {"fingerprint": {"device": {"kind": "disk_model", "figures": {"interface": 600_000_000}}}}
    experiment = _experiment("concurrent_streams", "ext4--25-mbit", STREAMS, **model)
    with pytest.raises(UserError, match="more_than_the_device_gives.*given_bytes_per_second=600000000.0"):
        _flat(lambda: released([store(experiment, measurements=_streams(192, 206, 613e6), **_ended("device"))]))


def _read(bytes_per_second: float, transferred: int) -> list[Measurement]:
    rate = {"metric": "fresh_read_bytes_per_second", "unit": "B/s", "better": "higher"}
    size = {"metric": "fresh_read_device_read_bytes", "unit": "B", "better": "lower"}
    return [Measurement(value=bytes_per_second, **rate), Measurement(value=transferred, **size)]


@pytest.mark.parametrize(
    ("values", "wrong"),
    [(_read(577e6, 1_172_000_000), False), (_read(585e6, 9_000_000_000), True), (_read(700e6, 1_172_000_000), True)],
)
def test_a_short_read_may_be_ahead_of_the_limit_by_two_slices(values, wrong, store, released):
    record = store(_experiment("aging", "ext4", {}), measurements=values)
    if not wrong:
        released([record])
        return
    with pytest.raises(UserError, match="more_than_the_device_gives found 1.*metric=fresh_read_bytes_per_second"):
        _flat(lambda: released([record]))


def _started(seconds: list[float], store, **changes) -> list:
    experiment = _experiment("http_streams", "nginx--ext4", {"server": {"name": "nginx"}}, **changes)
    one = lambda value: Measurement(metric="startup_worst_seconds", unit="s", value=value, better="lower")  # noqa: E731
    return [store(experiment, n, measurements=[one(value)]) for n, value in enumerate(seconds, 1)]


@pytest.mark.parametrize("seconds", [[0.25, 0.25], [0.25, 0.25, 0.26]])
def test_few_or_different_times_are_noisy_enough(seconds, store, released):
    released(_started(seconds, store))


def test_a_time_without_any_variance(store, released):
    with pytest.raises(UserError, match="no_variance found 1.*value=0.25, repetitions=3"):
        _flat(lambda: released(_started([0.25] * 3, store)))


def test_a_time_that_is_declared_exact_may_have_no_variance(store, released):
    experiment = _experiment("live_video", "vmx-omt--squeeze", {"format": {"name": "720p30"}})
    one = Measurement(metric="recovery_seconds", unit="s", value=1 / 30, better="lower")
    released([store(experiment, n, measurements=[one]) for n in (1, 2, 3)])


def test_times_that_count_the_slices_of_a_limit(store, released):
    sliced = [0.302, 0.403, 0.3045, 0.109, 0.4041]
    with pytest.raises(UserError, match="slices_of_a_limit found 1.*0.4041"):
        _flat(lambda: released(_started(sliced, store)))


def test_times_between_slices_few_or_without_a_limit_are_in_order(store, released):
    released(_started([0.302, 0.403, 0.3045, 0.109, 0.47], store))
    released(_started([0.302, 0.403, 0.3045, 0.109], store))
    released(_started([0.302, 0.403, 0.3045, 0.109, 0.4041], store, fingerprint={"device": {"kind": "ram"}}))


@pytest.mark.parametrize(
    ("name", "factors", "wrong"),
    [
        ("ext4--one-256-gb", {"file_bytes": 256 << 30}, None),
        ("ext4--one-256-gb", {"file_bytes": 256 * 10**9}, None),
        ("ext4--one-256-gb", {"file_bytes": 512 << 20}, "256-gb"),
        ("ext4--500000-files-1mb", {"files": 500_000, "file_bytes": 1 << 20}, None),
        ("ext4--500000-files-1mb", {"files": 500, "file_bytes": 1 << 20}, "500000-files"),
        ("ext4--20-files-large", {"files": 20, "file_bytes": 25 << 20}, None),
        ("ext4--12.5-mbit", {"rate": {"bytes_per_second": 1562500.0}}, None),
        ("ext4--12.5-mbit", {"rate": {"bytes_per_second": 3125000.0}}, "12.5-mbit"),
    ],
)
def test_a_name_states_what_was_measured(name, factors, wrong, store, released):
    records = [store(_experiment("file_creation", name, factors, fingerprint={"device": {"kind": "loop"}}))]
    if wrong is None:
        released(records)
        return
    with pytest.raises(UserError, match=f"name_of_another_size found 1.*quantity={wrong}"):
        _flat(lambda: released(records))


def test_every_check_has_a_test_and_passes_on_sound_records(released, tmp_path):
    released(factory.write_all(tmp_path, 2))
    tested = {*FAULTS, "direction_mismatch", "duplicate_fact", "identity_of_two_experiments", "duplicate_record"}
    tested |= {"no_variance", "unmarked_cap", "slices_of_a_limit", "name_of_another_size", "more_than_the_device_gives"}
    assert {path.stem for folder in ("checks", "release_checks") for path in (SQL / folder).glob("*.sql")} == tested


def _flat(call) -> None:
    """Let a pattern match over the lines of the message."""
    try:
        call()
    except UserError as error:
        raise UserError(error.problem.replace("\n", " "), error.remedy) from None
