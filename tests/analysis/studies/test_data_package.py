"""Each study is a valid Frictionless data package, and the committed description is that of its data."""

import shutil

import frictionless
import pytest

from spindlemark.analysis.studies import data_package
from spindlemark.analysis.studies.load import folders

STUDIES = pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)


@STUDIES
def test_the_package_is_that_of_the_data(folder):
    assert (folder / data_package.NAME).read_text(encoding="utf-8") == data_package.text(folder), (
        "write it anew: python -m spindlemark.analysis.studies.data_package"
    )


@STUDIES
def test_the_package_is_valid(folder):
    report = frictionless.validate(str(folder / data_package.NAME))
    assert report.valid, report.flatten(["title", "rowNumber", "message"])


def test_a_changed_figure_makes_it_invalid(tmp_path):
    folder = shutil.copytree(folders()[0], tmp_path / "000")
    table = folder / "scaletest.csv"
    table.write_text(table.read_text().replace("2500,10000,24.15", "2500,10000,24.1x"))
    report = frictionless.validate(str(folder / data_package.NAME))
    assert not report.valid
    assert {error.type for task in report.tasks for error in task.errors} >= {"type-error"}
