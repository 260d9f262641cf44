"""The tables hold what the records say."""

import json
import re
from datetime import datetime, timedelta, timezone

import duckdb
import pytest

import factory
from spindlemark.analysis import database
from spindlemark.core import records_file
from spindlemark.core.errors import UserError
from spindlemark.core.paths import SQL
from spindlemark.core.record import Command, Gate
from spindlemark.families import registry as families

TABLES = ["record", "measurement", "factor", "environment", "command", "validity", "series", "filesystem_lifecycle"]


def test_record_carries_its_experiment_and_its_place(store, built):
    exp = factory.experiment("ext4", "sound", "noatime")
    query = built([store(exp, 2)])
    assert query(
        "select source, testbed, family, experiment, identity, repetition, status, valid, method, path from record"
    ) == [
        (
            "measured",
            "loop",
            "filesystem_lifecycle",
            "ext4+noatime--sound",
            exp.identity(),
            2,
            "ok",
            True,
            1,
            f"loop/filesystem_lifecycle/ext4+noatime--sound/{exp.identity()}/rep-2.json",
        )
    ]


def test_record_names_no_factor(store, built):
    columns = {name for (name,) in built([store()])("select column_name from (describe record)")}
    assert not columns & {"subject", "library", "filesystem", "scheduler"}


def test_record_says_in_which_session_and_round_it_was_measured(store, built):
    noted = {"session.id": "boot-a", "run.round": "r1.2", "run.looks": 3}
    query = built([store(repetition=1, environment=noted), store(repetition=2)])
    assert query("select session, round, looks from record order by repetition") == [
        ("boot-a", "r1.2", 3),
        ("", "2", 0),
    ]


def test_every_measurement_keeps_value_unit_and_direction(store, built):
    exp = factory.experiment()
    expected = sorted((m.metric, m.unit, m.value, m.better) for m in factory.record(exp).measurements)
    assert built([store(exp)])("select metric, unit, value, better from measurement order by metric") == expected


def test_factors_are_flat_and_lists_stay_whole(store, built):
    plain = factory.experiment().factors
    exp = factory.experiment(
        factors=plain
        | {
            "filesystem": {"mkfs": ["mkfs.ext4", "-b 1"], "mount": [], "name": "ext4"},
            "library": plain["library"] | {"name": 'a "b"'},
        }
    )
    rows = dict(built([store(exp)])("select name, value from factor"))
    assert json.loads(rows["filesystem.mkfs"]) == ["mkfs.ext4", "-b 1"]
    assert rows["filesystem.mount"] == "[]"
    assert (rows["library.name"], rows["library.files"], rows["scheduler"]) == ('a "b"', "10761", "none")
    assert (rows["fingerprint.kernel"], rows["fingerprint.tools.ext4"], rows["method"]) == ("6.18.0-test", "1.0", "1")
    assert not any("[" in name for name in rows)


def test_times_are_utc(store, built):
    noon = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    query = built([store(started_at=noon, finished_at=noon + timedelta(seconds=1))])
    assert query("select distinct started_at from record") == [(datetime(2026, 1, 1, 10),)]


def test_commands_gates_series_and_environment(store, built):
    commands = [
        Command(step="copy", argv=["cp", "a b"], exit_code=1, seconds=0.5, stderr="no space"),
        Command(step="sync", argv=["sync"], exit_code=0, seconds=0.1),
    ]
    gates = [Gate(gate="space", ok=False, observed=0.97, bound=0.95, unit="1", detail="too full")]
    query = built([store(commands=commands, validity=gates, environment={"a.b": 1, "c": None, "d": "x"})])
    assert query("select position, step, argv, exit_code, seconds, stderr from command") == [
        (1, "copy", ["cp", "a b"], 1, 0.5, "no space"),
        (2, "sync", ["sync"], 0, 0.1, ""),
    ]
    assert query("select gate, step, ok, observed, bound from validity") == [("space", None, False, 0.97, 0.95)]
    assert query("select name, value from environment") == [("a.b", "1"), ("c", None), ("d", "x")]
    assert query('select name, seconds, "values" from series') == [("cpu_busy", [0.0, 0.5], [0.1, 0.9])]
    assert query("select valid from record") == [(False,)]


def test_what_a_command_cost_is_null_where_nobody_counted_it(store, built):
    commands = [
        Command(
            step="copy",
            argv=["cp"],
            exit_code=0,
            seconds=0.5,
            user_seconds=0.1,
            system_seconds=0.3,
            minor_faults=120,
            major_faults=0,
        ),
        Command(step="sync", argv=["sync"], exit_code=0, seconds=0.1),
    ]
    assert built([store(commands=commands)])(
        "select user_seconds, system_seconds, minor_faults, major_faults from command"
    ) == [(0.1, 0.3, 120, 0), (None, None, None, None)]


@pytest.mark.parametrize("gate", ["quiet_machine", "quiet_disk"])
def test_a_disturbed_machine_does_not_make_a_record_invalid(gate, store, built):
    gates = [Gate(gate=gate, step="copy", ok=False, detail="busy")]
    assert built([store(validity=gates)])("select valid from record") == [(True,)]


def test_the_wide_view_has_a_row_per_repetition_and_a_column_per_metric(store, built):
    exp, failing = factory.experiment(), factory.experiment("xfs")
    query = built([store(exp, 1), store(exp, 2), store(failing, 1, "failed")])
    copied = [next(m.value for m in factory.record(exp, n).measurements if m.metric == "copy_seconds") for n in (1, 2)]
    assert query(
        "select experiment, status, copy_seconds from filesystem_lifecycle order by experiment, repetition"
    ) == [("ext4--picture", "ok", copied[0]), ("ext4--picture", "ok", copied[1]), ("xfs--picture", "failed", None)]


@pytest.mark.parametrize("family", families.names())
def test_each_family_has_a_wide_view_with_all_its_metrics(family, built):
    columns = {row[0] for row in built([])(f"select column_name from (describe {family})")}
    assert set(families.metrics(family)) <= columns


def test_no_records_give_empty_tables(built):
    query = built([])
    assert all(query(f"select count(*) from {table}") == [(0,)] for table in TABLES)


def test_the_order_of_records_changes_nothing(tmp_path):
    records = factory.write_all(tmp_path, 2)
    contents = []
    for name, order in (("a", records), ("b", records[::-1])):
        database.build(order, tmp_path / name)
        with duckdb.connect(str(tmp_path / name)) as connection:
            contents.append([connection.execute(f"from {table}").fetchall() for table in TABLES])
    assert contents[0] == contents[1] and all(contents[0])


def test_a_table_of_text_reads_like_a_number(store, built):
    values = built([store()])("select value::bigint from factor where name = 'fingerprint.device.bytes'")
    assert values == [(2 << 30,)]


def test_an_edited_record_is_refused_and_the_old_database_kept(store, built, tmp_path):
    path = store()
    built([path])
    before = (tmp_path / "x.duckdb").read_bytes()
    path.write_text(path.read_text().replace('"scheduler":"none"', '"scheduler":"bfq"'))
    with pytest.raises(UserError, match=f"{path}.*identity") as error:
        built([path])
    assert "move the file away" in error.value.remedy
    assert (tmp_path / "x.duckdb").read_bytes() == before
    assert not list(tmp_path.glob(".x.duckdb*"))


def test_a_damaged_record_is_named(store, built):
    path = store()
    path.write_text(path.read_text()[:200])
    with pytest.raises(UserError, match=re.escape(str(path))):
        built([path])


def test_a_record_under_another_experiment_is_refused(store, built):
    path = store()
    other = path.parents[1].with_name("ext4+other--picture") / path.parent.name / path.name
    other.parent.mkdir(parents=True)
    path.rename(other)
    with pytest.raises(UserError, match="belongs to"):
        built([other])


def test_a_release_is_read_from_its_frozen_records(tmp_path):
    written = factory.write(tmp_path, factory.experiment(), 2)
    raw, file = tmp_path / "data/raw", tmp_path / records_file.NAME
    files = {path.relative_to(raw).as_posix(): path.read_bytes() for path in raw.rglob("*.json")}
    records_file.write(file, files)
    assert list(database.released(tmp_path)) == [(file / p.relative_to(raw), p.read_bytes()) for p in written]
    records_file.write(file, {})
    with pytest.raises(UserError, match="no records"):
        list(database.released(tmp_path))
    with pytest.raises(UserError, match="not an ordinary file"):
        list(database.released(tmp_path / "elsewhere"))


def test_every_statement_says_what_it_is_for():
    assert all(path.read_text().startswith("-- ") for path in SQL.rglob("*.sql"))
