"""Tests of statistics judge by questions of their own, so that a change of weights in config/ changes none of them."""

from pathlib import Path

import pytest

from spindlemark.config import questions, read_yaml

HERE = Path(__file__).parents[2] / "recorded" / "questions"


@pytest.fixture(autouse=True, scope="session")
def fixed_questions():
    """Replace the questions of the families that are recorded here."""
    fixed = {file.stem: read_yaml(file, questions.Questions) for file in sorted(HERE.glob("*.yaml"))}
    load = questions.load
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "load", lambda *folder: load(*folder) | fixed)
        yield
