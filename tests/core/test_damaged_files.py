"""Files of our own that were damaged, copied or replaced: told by name with a remedy that loses nothing, or left alone."""

import json
import os
import subprocess
import sys

import pytest
from rich.console import Console

import factory
from spindlemark.analysis import database
from spindlemark.cli import progress, snakemake_process
from spindlemark.cli.terminal import plan_table, sample_table
from spindlemark.config import Stability
from spindlemark.core import atomic_write, paths, running
from spindlemark.core.errors import UserError, plain
from spindlemark.core.record import Spec, join_parts, read_record, read_spec, records_in
from spindlemark.core.record_store import PARTIAL
from spindlemark.measure import pending, plan
from spindlemark.release import versions as release

DEEP = "[" * 200_000 + "]" * 200_000


@pytest.fixture
def results(tmp_path):
    return factory.write(tmp_path, factory.experiment(), 2)


def planned(experiment, repetitions=2):
    spec = paths.spec_path(experiment.testbed, experiment.family, experiment.experiment, experiment.identity())
    return plan.Plan(
        profile="quick",
        seed=1,
        stability=Stability(relative_width=0.1, most_repetitions=5),
        experiments=[
            plan.Planned(
                experiment=experiment.experiment,
                workload=join_parts(experiment.workload),
                family=experiment.family,
                testbed=experiment.testbed,
                kind="loop",
                identity=experiment.identity(),
                spec=str(spec),
                repetitions=repetitions,
                records=[str(paths.record_path(spec, n)) for n in range(1, repetitions + 1)],
            )
        ],
    )


def replaced(path, put):
    path.unlink()
    put(path)


IN_ITS_PLACE = [
    (lambda path: path.mkdir(), "is not a regular file"),
    (os.mkfifo, "is not a regular file"),
    (lambda path: path.symlink_to("/dev/zero"), "is not a regular file"),
    (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 2 << 30), "the limit is"),
    (lambda path: path.write_text(DEEP), "recursion limit"),
    (lambda path: path.write_text('{"attachments": ' + DEEP + "}"), "recursion limit"),
    (lambda path: path.write_bytes(b"\xff\xfe\0"), "the file"),
]


@pytest.mark.parametrize(("put", "named"), IN_ITS_PLACE)
@pytest.mark.parametrize("name", ["spec.json", "rep-1.json", "plan.json"])
def test_something_else_in_the_place_of_a_file_is_refused_at_once(results, name, put, named):
    path = results[0].parent / name
    path.write_text("{}")
    replaced(path, put)
    read = {"spec.json": read_spec, "rep-1.json": read_record, "plan.json": plan.read}[name]
    with pytest.raises(UserError, match=named) as raised:
        read(path)
    assert str(path) in raised.value.problem and "away" in raised.value.remedy and "\n" not in raised.value.problem


def changed(path, **changes):
    content = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(content))
    return content


@pytest.mark.parametrize("name", ["spec.json", "rep-1.json"])
@pytest.mark.parametrize(("number", "said"), [(3, "newer version"), (99, "newer version"), (0, "no such format")])
def test_another_format_is_named(results, name, number, said):
    path = results[0].parent / name
    changed(path, record_format=number)
    with pytest.raises(UserError, match=f"record_format: is {number}: .*{said}"):
        (read_spec if name == "spec.json" else read_record)(path)


@pytest.mark.parametrize("key", ["testbed", "family", "experiment"])
@pytest.mark.parametrize("value", ["..", "../../..", "x$(touch pwned)", "a b", "[/x]", "\x1b[2J", "x" * 300])
def test_a_name_that_leaves_its_folder_is_refused_in_specs_and_records(results, key, value):
    for path, read in ((results[0], read_record), (results[0].parent / "spec.json", read_spec)):
        content = json.loads(path.read_text())
        content["experiment"][key] = value
        path.write_text(json.dumps(content))
        with pytest.raises(UserError, match=f"experiment.{key}") as raised:
            read(path)
        assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("started_at", "2026-11-21T10:00:00"),
        ("factors", []),
        ("factors", {"x": float("nan")}),
        ("environment", {"x": float("inf")}),
    ],
)
def test_what_later_stages_could_not_reckon_with_is_refused(results, key, value):
    content = json.loads(results[0].read_text())
    (content["experiment"] if key == "factors" else content)[key] = value
    results[0].write_text(json.dumps(content))
    with pytest.raises(UserError, match=key):
        read_record(results[0])


@pytest.mark.parametrize("value", [10**400, float("inf")])
def test_a_number_that_no_table_holds_is_refused(results, value):
    content = json.loads(results[0].read_text())
    content["measurements"][0]["value"] = value
    results[0].write_text(json.dumps(content))
    with pytest.raises(UserError, match="measurements.0.value"):
        read_record(results[0])


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_text("nonsense"),
        lambda path: path.write_text(path.read_text().replace('"none"', '"bfq"')),
        lambda path: path.write_text(path.read_text().replace('"filesystem"', '"filesistem"')),
        lambda path: changed(path, record_format=3),
        lambda path: replaced(path, os.mkfifo),
    ],
)
def test_the_remedy_for_a_damaged_spec_keeps_every_result_and_works(tmp_path, results, damage):
    spec, experiment = results[0].parent / "spec.json", factory.experiment()
    good, kept = spec.read_text(), [path.read_bytes() for path in results]
    damage(spec)
    with pytest.raises(UserError) as raised:
        read_spec(spec)
    assert "delete" not in raised.value.remedy and "move this file away" in raised.value.remedy
    spec.rename(spec.with_suffix(".damaged"))
    made = planned(experiment)
    plan.write(made, [Spec(identity=experiment.identity(), experiment=experiment)], tmp_path)
    assert read_spec(spec) == Spec.model_validate_json(good)
    assert [path.read_bytes() for path in results] == kept and pending.missing(made, tmp_path) == []


NO_RECORDS = [
    "rep-1 (copy).json",
    "rep-0.json",
    "rep-01.json",
    "rep-x.json",
    "rep--1.json",
    "rep-.json",
    "rep-9999999999.json",
]


@pytest.mark.parametrize(
    ("name", "put"),
    [
        *((name, lambda path: path.write_text("{}")) for name in NO_RECORDS),
        ("rep-9.json", lambda path: path.mkdir()),
        ("rep-9.json", os.mkfifo),
        ("rep-9.json", lambda path: path.symlink_to("nowhere")),
    ],
)
def test_what_is_called_like_a_record_and_is_none_is_told(tmp_path, results, name, put):
    put(results[0].parent / name)
    made = planned(factory.experiment())
    for look in (lambda: records_in(results[0].parent), lambda: pending.existing_records(made, tmp_path)):
        with pytest.raises(UserError) as raised:
            look()
        assert name in raised.value.problem and raised.value.remedy == "move it away"


def test_records_come_by_number_and_nothing_else_matters(results):
    folder = results[0].parent
    for n in (10, 3):
        (folder / f"rep-{n}.json").write_text("{}")
    for name in (f".rep-4.json{PARTIAL}", "rep-1.json~", "rep-1.json.bak", "notes.txt"):
        (folder / name).write_text("")
    assert [path.name for path in records_in(folder)] == ["rep-1.json", "rep-2.json", "rep-3.json", "rep-10.json"]
    assert records_in(folder / "nowhere") == []


RUNNING = [
    "",
    "[]",
    "1",
    "null",
    "{}",
    '{"folder": 1}',
    '{"folder": "/etc"}',
    '{"folder": "../../.."}',
    DEEP,
    "\x1b[2J",
    '{"experiment": "[/x]", "repetition": 1, "step": "[/x]"}',
]


@pytest.mark.parametrize("text", RUNNING)
def test_a_damaged_note_of_what_is_running_tells_nothing(tmp_path, monkeypatch, text):
    monkeypatch.setattr(running, "_place", tmp_path / "running.json")
    monkeypatch.setattr(paths, "RUNNING", tmp_path / "running.json")
    (tmp_path / "running.json").write_text(text)
    assert list(running.crashed_folders()) == []
    assert running.read() is None
    running.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_fifo_as_note_of_what_is_running_does_not_hang(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_place", tmp_path / "running.json")
    monkeypatch.setattr(paths, "RUNNING", tmp_path / "running.json")
    os.mkfifo(tmp_path / "running.json")
    assert running.read() is None


def test_a_folder_in_the_place_of_a_file_that_is_written_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_place", tmp_path / "running.json")
    (tmp_path / "running.json").mkdir()
    with pytest.raises(UserError, match="running.json: cannot be removed"):
        running.remove()
    with pytest.raises(UserError, match="running.json: cannot be written"):
        atomic_write.write(tmp_path / "running.json", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["running.json"]


@pytest.mark.parametrize("kind", ["a folder", "a FIFO", "a link to itself", "a link elsewhere"])
@pytest.mark.parametrize("place", ["data/build/run.lock", ".snakemake", "data/build/site", "data/build/logs"])
def test_something_else_in_the_place_of_a_file_or_folder_is_told(tmp_path, place, kind):
    lock, is_file = tmp_path / place, place.endswith(".lock")
    if kind in ("a folder", "a link elsewhere") and not is_file:
        pytest.skip("a folder is what belongs there, and whoever links it elsewhere may do so")
    lock.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "elsewhere").write_text("kept")
    {
        "a folder": lock.mkdir,
        "a FIFO": lambda: os.mkfifo(lock),
        "a link to itself": lambda: lock.symlink_to(lock.name),
        "a link elsewhere": lambda: lock.symlink_to(tmp_path / "elsewhere"),
    }[kind]()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "spindlemark", "site"],
        env=os.environ | {"SPINDLEMARK_ROOT": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2 and f"error: {place}: " in done.stderr and "move it away" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "elsewhere").read_text() == "kept"


@pytest.mark.parametrize(
    "text", ["{}", "[]", "null", '{"experiments": 1}', '{"experiments": [{"spec": 1}]}', DEEP, "\0"]
)
def test_a_damaged_plan_is_told_once_and_written_anew_by_the_next(tmp_path, text):
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(UserError, match="plan.json") as raised:
        plan.read(path)
    assert "\n" not in raised.value.problem and len(str(raised.value)) < 600
    path.rename(tmp_path / "away")
    plan.write_if_changed(path, planned(factory.experiment()).model_dump_json())
    assert plan.read(path).experiments


def test_a_plan_that_is_no_text_is_replaced(tmp_path):
    (tmp_path / "plan.json").write_bytes(b"\xff\xfe\0")
    plan.write_if_changed(tmp_path / "plan.json", "{}\n")
    assert (tmp_path / "plan.json").read_text() == "{}\n"


def test_a_damaged_old_spec_is_told_where_the_plan_explains_a_change(tmp_path, results):
    spec = results[0].parent / "spec.json"
    spec.write_text('{"experiment": 1}')
    new = factory.experiment(method=2)
    with pytest.raises(UserError, match=str(spec)):
        pending.reason(Spec(identity=new.identity(), experiment=new), tmp_path)


WORDS = "[/x] [bold]\x1b[2J\x1b]0;pwned\x07 \x9b31m \u202e"


@pytest.fixture
def terminal(capsys):
    """A console on a terminal; what it was told comes from `capsys`."""
    return Console(force_terminal=True, width=300, color_system=None)


def shown_plainly(text):
    return "[/x]" in text and not any(c in text for c in "\x1b\x07\x9b\u202e")


def test_foreign_words_are_shown_and_not_obeyed(terminal, capsys, tmp_path, monkeypatch):
    experiment = factory.experiment()
    path = factory.write(tmp_path, experiment, 1)[0]
    content = changed(path, status="failed", reason=WORDS)
    content["measurements"].append({"metric": WORDS, "unit": WORDS, "value": 1, "better": "none"})
    content["validity"][0] |= {"ok": False, "detail": WORDS}
    path.write_text(json.dumps(content))
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(plan, "read_or_none", lambda: planned(experiment, 1))
    sample_table.show(terminal, "ext4--picture")
    assert shown_plainly(capsys.readouterr().out)


def test_the_reasons_of_a_plan_are_shown_and_not_obeyed(terminal, capsys, monkeypatch):
    experiment = factory.experiment()
    made = planned(experiment), [Spec(identity=experiment.identity(), experiment=experiment)]
    monkeypatch.setattr(plan_table.planning, "make", lambda *_: made)
    monkeypatch.setattr(pending, "missing", lambda *_: [pending.Job(made[0].experiments[0], 1)])
    monkeypatch.setattr(pending, "reason", lambda *_: f"changed: a: {WORDS} -> b")
    plan_table.plan(terminal, plan.Request())
    assert shown_plainly(capsys.readouterr().out)


def test_an_error_in_foreign_words_commands_no_terminal():
    told = UserError(WORDS, WORDS)
    assert shown_plainly(str(told)) and shown_plainly(told.problem) and shown_plainly(told.remedy)
    assert plain("two\nlines, ü and €") == "two\nlines, ü and €"
    assert plain("\udcff").isascii()


def test_show_takes_the_newest_release_where_folders_hold_no_record(terminal, monkeypatch):
    monkeypatch.setattr(plan, "read_or_none", lambda: None)
    newest = release.versions()[0].version
    with pytest.raises(UserError, match="no measured experiment") as raised:
        sample_table.show(terminal, "no-such-name")
    names = {path.parent.parent.name for path, _ in database.released(paths.RELEASES / newest)}
    assert sorted(names)[0] in raised.value.remedy


def test_the_progress_bar_shows_a_foreign_step_and_does_not_obey_it(terminal, capsys, tmp_path, monkeypatch):
    experiment = factory.experiment()
    monkeypatch.setattr(running, "_place", tmp_path / "running.json")
    running.write(Spec(identity=experiment.identity(), experiment=experiment), 1, "[/x]", factory.START)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    job = pending.Job(planned(experiment, 1).experiments[0], 1)
    workflow = snakemake_process.Engine({}, ["measured"])
    monkeypatch.setattr(workflow, "rule", lambda: "measure_filesystem_lifecycle")
    progress.follow(workflow, progress.Watch([job], 9.0), terminal, iter([True, False]).__next__)
    assert "ext4--picture #1 [/x]" in capsys.readouterr().out
