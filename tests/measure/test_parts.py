"""Parts of the profile standard: every repetition in one of them, compared configurations together, none too long."""

import io
from collections import Counter

import pytest
from rich.console import Console

from spindlemark import config
from spindlemark.cli.terminal import part_table
from spindlemark.core.errors import UserError
from spindlemark.core.record import join_parts
from spindlemark.measure import expected_time, experiments, parts, pending, plan, request
from spindlemark.measure.request import request_of

STANDARD = "standard"


@pytest.fixture(scope="module")
def registry():
    """The declared experiments seven times, in parts of ten minutes, so that long workloads are divided."""
    loaded = config.load()
    short = loaded.profiles[STANDARD].model_copy(update={"part_minutes": 10, "repetitions": 7})
    return loaded.model_copy(update={"profiles": loaded.profiles | {STANDARD: short}})


@pytest.fixture(scope="module")
def declared(registry):
    return [spec.experiment for spec in experiments.specs(registry, STANDARD, read_machine=False)]


@pytest.fixture(scope="module")
def found(registry, declared):
    return parts.of(registry, STANDARD, declared)


def test_every_repetition_is_in_exactly_one_part(registry, declared, found):
    profile = registry.profiles[STANDARD]
    wanted = {(parts.key(e), n) for e in declared for n in range(1, experiments.amount(profile, e).repetitions + 1)}
    have = Counter((key, n) for part in found.values() for key, rounds in part.rounds.items() for n in rounds)
    assert wanted <= have.keys() and set(have.values()) == {1}
    assert parts.by_repetition(found).keys() == have.keys()


def test_no_part_takes_longer_than_declared_unless_one_round_does(registry, declared, found):
    profile = registry.profiles[STANDARD]
    each = {parts.key(e): expected_time.declared(e, registry, profile) for e in declared}
    limit = 60 * profile.part_minutes
    for part in found.values():
        seconds = sum(each[key] * len(rounds) for key, rounds in part.rounds.items())
        assert part.seconds == pytest.approx(seconds)
        assert seconds <= limit or {len(rounds) for rounds in part.rounds.values()} == {1}, part.name


def test_what_is_measured_in_one_block_is_in_one_part_in_the_same_rounds(registry, declared, found):
    for part in found.values():
        blocks = {}
        for e in declared:
            block = registry.testbeds[e.testbed].kind, e.family, join_parts(e.workload)
            if part.has(e):
                blocks.setdefault(block, set()).add(tuple(part.rounds[parts.key(e)]))
            else:
                blocks.setdefault(block, set()).add(None)
        assert all(len(rounds) == 1 for rounds in blocks.values()), part.name


def test_a_long_workload_is_divided_into_about_equal_numbers_of_rounds(found):
    own = [part.rounds[key] for part in found.values() for key in part.rounds if key == LONG]
    assert sorted(n for rounds in own for n in rounds) == list(range(1, 8)) and len(own) > 1
    assert max(map(len, own)) - min(map(len, own)) <= 1


LONG = ("loop", "filesystem_lifecycle", "ext4--sound")


def test_the_plan_of_a_part_measures_its_rounds_alone(registry, found, tmp_path):
    name, part = next((name, part) for name, part in found.items() if any(r[0] > 1 for r in part.rounds.values()))
    made, specs = plan.make(registry, request_of({"profile": STANDARD, "part": name}), tmp_path)
    keys = {spec.identity: parts.key(spec.experiment) for spec in specs}
    jobs = pending.missing(made, tmp_path)
    assert {(keys[job.experiment.identity], job.repetition) for job in jobs} == {
        (key, n) for key, rounds in part.rounds.items() for n in rounds
    }
    assert {e.testbed for e in made.experiments if e.chosen} == set(part.testbeds)
    done = tmp_path / jobs[0].record
    done.parent.mkdir(parents=True)
    done.write_text("{}")
    left = {job.record for job in pending.missing(made, tmp_path)}
    assert left >= {job.record for job in jobs[1:]} and jobs[0].record not in left, (
        "it is continued where it was stopped"
    )


def test_the_testbeds_of_a_part_are_known_without_a_machine(registry, found):
    name, part = list(found.items())[-1]
    assert request.testbeds(registry, request_of({"profile": STANDARD, "part": name})) == set(part.testbeds)


def test_an_unknown_part_names_the_others(registry):
    with pytest.raises(UserError, match="profile standard has no part loop-999") as wrong:
        plan.make(registry, request_of({"profile": STANDARD, "part": "loop-999"}))
    assert "loop-1, loop-2" in wrong.value.remedy
    with pytest.raises(UserError, match="profile quick has no parts") as wrong:
        plan.make(registry, request_of({"profile": "quick", "part": "loop-1"}))
    assert wrong.value.remedy == "use a profile with parts: standard"
    with pytest.raises(UserError, match="part: 'loop-1' cannot be combined with family"):
        plan.make(registry, request_of({"profile": STANDARD, "part": "loop-1", "family": "aging"}))


def test_a_run_of_a_part_has_its_minutes():
    profile = config.load().profiles[STANDARD]
    assert (profile.minutes(None, "loop-1"), profile.minutes(None)) == (90, 1800)


def test_the_table_has_each_part_with_what_is_missing(registry, found, tmp_path):
    made, specs = plan.make(registry, plan.Request(profile=STANDARD), tmp_path)
    said = io.StringIO()
    part_table.show(Console(file=said, width=200), registry, made, specs, pending.missing(made, tmp_path))
    text = said.getvalue()
    assert all(f" {name} " in text for name in found) and "measured" not in text
    assert f"./spindlemark run --profile standard --part {next(iter(found))}" in text
    said.truncate(0)
    part_table.show(Console(file=said, width=200), registry, made, specs, [])
    assert said.getvalue().count("measured") == len(found)
