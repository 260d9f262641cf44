"""What the page of an experiment says of its repetitions: what all of them did alike stands there once."""

import json
from types import SimpleNamespace

import pytest

import factory
from spindlemark.analysis import database
from spindlemark.analysis.findings.model import Cell, MetricTable
from spindlemark.site import experiments, fact_labels, query


@pytest.fixture
def shown(tmp_path):
    """The details of one experiment whose records `change(n, record)` makes different."""

    def details(repetitions, change):
        paths = factory.write(tmp_path, experiment := factory.experiment(), repetitions)
        for n, path in enumerate(paths, 1):
            record = json.loads(path.read_text())
            change(n, record)
            path.write_text(json.dumps(record))
        database.build(paths, tmp_path / "x.duckdb")
        with query.connect(tmp_path / "x.duckdb") as connection:
            key = experiment.experiment, experiment.identity()
            return experiments.details(key, [], query.details(connection, [key[1]]))

    return details


def test_what_repetitions_ran_alike_stands_there_once(shown):
    def change(n, record):
        record["commands"][0] |= {"argv": ["mount", f"/dev/loop{n}", f"/run/spindlemark/mount-{n}00"], "seconds": n}
        record["commands"][1]["argv"] += ["--sparse"] if n == 4 else []
        record["commands"][1]["exit_code"] = 1 if n == 3 else 0

    ways = shown(9, change)["commands"]
    assert [(way["repetitions"], way["n"]) for way in ways] == [("1, 2, 5 to 9", 1), ("3", 3), ("4", 4)]
    first, _second = ways[0]["commands"]
    assert first["line"] == "mount /dev/loop1 /run/spindlemark/mount-100" and first["seconds"] == "1.00 s"
    assert first["others"][:2] == [{"n": 2, "text": "2.00 s"}, {"n": 5, "text": "5.00 s"}]
    assert [way["commands"][1]["exit_code"] for way in ways] == [0, 1, 0] and ways[2]["commands"][1]["line"].endswith(
        "--sparse"
    )


@pytest.mark.parametrize("part", ["mkfs.ext4 /dev/sda1", "mkfs.ext4 /dev/loop9 -N 7", "/srv/spindlemark/mount"])
def test_a_name_of_ones_own_hides_no_other_difference(shown, part):
    def change(n, record):
        record["commands"][0]["argv"] = part.split() if n == 2 else ["mkfs.ext4", f"/dev/loop{n}"]

    assert [way["repetitions"] for way in shown(3, change)["commands"]] == ["1, 3", "2"]


def test_each_gate_stands_there_once_and_what_did_not_hold_by_repetition(shown):
    def change(n, record):
        record["validity"][1] |= {"ok": n != 2, "observed": n / 10, "bound": 0.15}

    gates = shown(3, change)["gates"]
    assert (gates["held"], gates["asked"]) == (5, 6)
    assert [(g["gate"], g["held"], g["asked"], g["observed"], g["bound"]) for g in gates["all"]] == [
        ("completeness", 3, 3, "10,761", "10,761"),
        ("quiet machine", 2, 3, "0.1 to 0.3", "0.15"),
    ]
    assert [(g["n"], g["gate"], g["observed"]) for g in gates["failed"]] == [(2, "quiet machine", "0.2")]


def test_facts_of_the_environment_are_told_apart_by_whether_they_differ(shown, tmp_path):
    def change(n, record):
        record["environment"] |= {"load.before": n % 2, "empty": None}

    shown(3, change)
    with query.connect(tmp_path / "x.duckdb") as connection:
        (found,) = query.details(connection, [factory.experiment().identity()]).environments.values()
    _, equal, differing = experiments.environment(found)
    assert differing == [{"title": "This experiment", "facts": [{"name": "load: before", "value": "0, 1"}]}]
    values = {(group["title"], f["name"]): f["value"] for group in equal for f in group["facts"]}
    assert values["This experiment", "empty"] == "–" and values["Processor", "count"] == "2"


@pytest.mark.parametrize(
    ("name", "value", "words", "text"),
    [
        ("device.limits.read_bytes_per_second", "150000000", "device: limits: read", "150 MB/s"),
        ("filesystem.mkfs", '["mkfs.ext4", "-q", "a b"]', "filesystem: mkfs", "mkfs.ext4 -q 'a b'"),
        ("filesystem.mount", "[]", "filesystem: mount", "–"),
        ("library.total", "192953397", "library: total", "192953397"),
        ("backing.queue.read_ahead_kb", "8192", "backing: queue: read ahead", "8.39 MB"),
        ("device.direct_io", "True", "device: direct io", "yes"),
        ("a_bytes", "none", "a", "none"),
        ("shape.weights", "[1, 2", "shape: weights", "[1, 2"),
        ("shape.sizes", "[1, 2]", "shape: sizes", "[1, 2]"),
        ("codec.setting", None, "codec: setting", "–"),
    ],
)
def test_a_fact_is_shown_in_words_with_its_unit(name, value, words, text):
    assert fact_labels.fact(name, value) == {"name": words, "value": text}


def test_rows_of_several_sessions_name_theirs():
    cell = Cell(
        configuration="ext4",
        experiment="e",
        identity="i",
        n=1,
        samples=[1.0],
        noisy=[False],
        median=1.0,
        low=None,
        high=None,
        stable=True,
    )
    table = MetricTable(
        metric="m_seconds",
        title="M",
        unit="s",
        better="lower",
        ranked=False,
        why_unranked="alone",
        cells=[cell],
        pairs=[],
        statement="",
    )
    one, two = ((SimpleNamespace(session=name), table, cell) for name in ("s1", "s2"))
    assert [row["session"] for row in experiments.metrics([one, two], [])] == ["s1", "s2"]
    assert [row["session"] for row in experiments.metrics([one], [])] == [""]
