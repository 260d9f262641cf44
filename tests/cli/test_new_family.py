"""`./spindlemark new family`: what it writes works as written, and the guide shows the same."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from project import Project
from spindlemark.cli import new_family
from spindlemark.core.errors import UserError
from spindlemark.core.paths import PROJECT

PLAN = """\
import json
from spindlemark import config
from spindlemark.measure import experiments
found = experiments.specs(config.load(), "quick")
print(json.dumps([spec.experiment.factors["layout"] for spec in found if spec.experiment.family == "file_copies"]))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    """A copy of the project with a new family."""
    made = Project(tmp_path_factory.mktemp("new") / "project")
    done = run(made, "-m", "spindlemark", "new", "family", "file_copies")
    assert done.returncode == 0, done.stderr
    assert all((made.root / path).exists() for path in done.stdout.split())
    return made


def run(project: Project, *words: str) -> subprocess.CompletedProcess:
    code = f"{project.root / 'workflow'}"
    return subprocess.run(
        [sys.executable, "-P", *words],
        cwd=project.root,
        env={
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "PYTHONPATH": code,
            "HOME": "/root",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
    )


def test_its_experiments_are_planned(project):
    done = run(project, "-c", PLAN)
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)) == ["one-file", "one-file", "ten-files", "ten-files"]


def test_the_analysis_knows_its_metrics(project):
    done = run(project, "-c", "from spindlemark.core import declared; print(*declared.metrics('file_copies'))")
    assert done.stdout.split() == ["copy_seconds"], done.stderr


def test_its_own_test_and_those_of_every_family_pass(project, needs_root):
    tests = ("workflow/test_file_copies.py", "repository/test_methods.py")
    done = run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{test}" for test in tests))
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout + done.stderr


def test_its_files_pass_the_linters_and_the_contracts(project):
    programs = Path(sys.executable).parent
    written = [path.format(name="file_copies") for path in new_family.FILES.values() if path.endswith(".py")]
    for words in (
        [programs / "ruff", "check", "--no-cache", *written],
        [programs / "ruff", "format", "--no-cache", "--check", *written],
        [programs / "lint-imports", "--no-cache"],
    ):
        done = subprocess.run(
            words, cwd=project.root, env={"PYTHONPATH": str(project.root / "workflow")}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["File", "2files", "../files", "a b", "class", "x" * 50])
def test_a_bad_name_is_refused_and_nothing_is_written(tmp_path, name):
    with pytest.raises(UserError, match="not a valid name of a family"):
        new_family.write(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_existing_family_is_not_overwritten(project):
    before = (project.root / "config/experiments/file_copies.yaml").read_bytes()
    with pytest.raises(UserError, match="already exists"):
        new_family.write("file_copies", project.root)
    assert (project.root / "config/experiments/file_copies.yaml").read_bytes() == before


def test_the_guide_shows_the_module_that_is_written():
    guide = (PROJECT / "docs/add-a-family.md").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert shown == [new_family.text("family.txt", "file_copies")]
