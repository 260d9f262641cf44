"""Formulas: the numbers of a record that follow from others."""

import pytest

from spindlemark.core.formula import Facts, evaluate, parse
from spindlemark.core.metric import Metric
from spindlemark.core.record import Command

FIO = {"jobs": [{"jobname": "layout"}, {"jobname": "create", "write": {"runtime": 1500, "percentile": {"50.000": 9}}}]}


def _command(step: str, seconds: float, user: float | None = None) -> Command:
    return Command(step=step, argv=["true"], exit_code=0, seconds=seconds, user_seconds=user, system_seconds=user)


FACTS = Facts(
    factors={"library": {"total": 600}, "files": 3, "trial.seconds": 4.0, "none": 0, "name": "ext4"},
    measured={"copy_seconds": 2.0},
    commands=[
        _command("copy", 1.5, 0.5),
        _command("copy", 0.5, 1.0),
        _command("sync", 0.25, 0.25),
        _command("old", 1.0),
    ],
    attachments={"fio": FIO},
)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("library.total / copy_seconds", 300.0),
        ("files * library.total / copy_seconds + 1", 901.0),
        ("trial.stage_seconds or trial.seconds", 4.0),
        ("none or trial.seconds", 4.0),
        ('seconds("copy")', 2.0),
        ('cpu("copy", "sync")', 3.5),
        ('cpu("old")', None),  # early records lack it
        ('cpu("check")', None),
        ('fio("create", "write", "runtime") / 1000 + seconds("sync")', 1.75),
        ('fio("create", "write", "percentile", "50.000")', 9),
        ("none or files", 3),
    ],
)
def test_a_formula_has_the_value_of_its_parts(formula, value):
    assert evaluate(formula, FACTS) == value


@pytest.mark.parametrize(
    "formula",
    [
        "",
        "1 -",
        "files - 1",
        "files ** 2",
        "__import__('os')",
        "open('x')",
        "cpu(copy)",
        "'text'",
        "files[0]",
        "True or 1",
    ],
)
def test_other_text_is_not_a_formula(formula):
    with pytest.raises(ValueError, match="is not a formula"):
        parse(formula)


def test_a_number_that_the_record_lacks_is_an_error():
    for formula in (
        "unknown / copy_seconds",
        "name",
        "none or unknown",
        'fio("read", "write")',
        'fio("create", "write")',
        'bonnie("seeks_per_second")',
    ):
        with pytest.raises((KeyError, TypeError)):
            evaluate(formula, FACTS)


def test_a_metric_is_declared_with_what_its_kind_has():
    plain = {"title": "A", "better": "lower", "description": "a"}
    for wrong in ({"unit": "s", "resolution": "x"}, {"unit": "s", "of_device": True}, {"unit": "s", "formula": "a -"}):
        with pytest.raises(ValueError, match=r"no resolution|not a size|not a formula"):
            Metric(**plain, **wrong)
