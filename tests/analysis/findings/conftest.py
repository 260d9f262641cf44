"""Tests of statistics judge by questions of their own, so that a change of weights in config/ changes none of them."""

from pathlib import Path

import pytest

from spindlemark.analysis.findings import configurations, groups
from spindlemark.config import questions, read_yaml

HERE = Path(__file__).parents[2] / "recorded" / "questions"


@pytest.fixture(autouse=True, scope="module")
def fixed_questions():
    """Replace the questions of the families that are recorded here; every filesystem can be recommended."""
    fixed = {file.stem: read_yaml(file, questions.Questions) for file in sorted(HERE.glob("*.yaml"))}
    load, catalogue = questions.load, groups.catalogue

    def of_today(*folder: Path) -> configurations.Catalogue:
        known = catalogue(*folder)
        current = {name: each.model_copy(update={"legacy": None}) for name, each in known.filesystems.items()}
        return configurations.Catalogue(current, known.libraries)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "load", lambda *folder: load(*folder) | fixed)
        patch.setattr(groups, "catalogue", of_today)
        yield
