"""A family of another kind: its subject is a server, and it has no filesystem. Five files and one generated one add it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from project import Project, leftovers

MODULE = '''\
"""Family `serving`: how long a server takes to answer."""

from typing import Any

from spindlemark.core.metric import Metric
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.family import Family

METRICS = {"answer_seconds": Metric(title="Answer", unit="s", better="lower", description="until it answered")}
SECONDS = {"swift": "0.4", "slow": "2.5"}  # far apart, so that a busy machine cannot make them alike


class Scale(Closed):
    """It has no measure."""


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    return {"server": {"name": chosen["server"], "waits": SECONDS[chosen["server"]]}, "mtu": int(chosen["mtu"])}


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    return 1.0, 0.0


def steps(session: Any) -> None:
    with session.step("answer") as step:
        session.run([*programs.PYTHON, "-c", f"import time; time.sleep({session.factors['server']['waits']})"])
    session.measure("answer_seconds", step.seconds)


FAMILY = Family(method=1, metrics=METRICS, steps=steps, expected=expected, scale=Scale, factors=factors)
'''
EXPERIMENTS = """\
description: Two servers
sets:
  - factors:
      server: [swift, slow]
      mtu: ['1500', '9000']
"""
QUESTIONS = """\
area: serve
title: Serving
ask: Which server answers first?
by: [mtu]
tasks:
  answer: {title: Answer, description: Until it answered, metric: answer_seconds}
weights:
  default:
    answer: {weight: 1, reason: a viewer waits for it}
questions:
  server:
    title: Which server?
    compare: [server]
  mtu:
    title: What do larger packets gain?
    compare: [mtu]
    against: {mtu: '1500'}
"""
ASK = """\
import json, sys
from pathlib import Path
from spindlemark.analysis import database
from spindlemark.config import questions
from spindlemark.analysis.findings import samples
database.build(database.current(), Path(sys.argv[1]))
print(json.dumps([[g.group, g.baseline, [s.name for s in g.configurations]]
                  for g in samples.read(Path(sys.argv[1]), questions.load())]))
"""
GROUPS = [
    ["loop--serving--1500", None, ["slow", "swift"]],
    ["loop--serving--9000", None, ["slow", "swift"]],
    ["loop--serving--mtu--slow--1500", "1500", ["1500", "9000"]],
    ["loop--serving--mtu--swift--1500", "1500", ["1500", "9000"]],
]


@pytest.fixture
def project(tmp_path, needs_root):
    made = Project(tmp_path / "project")
    (made.root / "config/experiments/filesystem_lifecycle.yaml").unlink()
    made.write("workflow/spindlemark/families/serving/__init__.py", "")
    made.write("workflow/spindlemark/families/serving/family.py", MODULE)
    made.write("config/experiments/serving.yaml", EXPERIMENTS)
    made.write("config/questions/serving.yaml", QUESTIONS)
    made.replace("config/profiles/tiny.yaml", "repetitions: 1", "repetitions: 3")
    python(made, "-m", "spindlemark.cli.schemas")
    return made


def python(project: Project, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", *words],
        cwd=project.root,
        env=project.environment(),
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_planned_measured_and_asked(project):
    """Each stage by itself, up to the groups that findings are about."""
    run = Path("data/build/runs/test")
    python(project, "-m", "spindlemark.measure", "--plan", "{}", "--run", str(run))
    planned = json.loads((project.root / "data/build/plan.json").read_text())["experiments"]
    assert sorted(e["experiment"] for e in planned) == ["slow--1500", "slow--9000", "swift--1500", "swift--9000"]
    python(project, "-m", "spindlemark.measure", "--try", "loop", "--run", str(run), "--output", str(run / "tried"))
    for experiment in planned:
        python(project, "-m", "spindlemark.measure", experiment["spec"], "--repetition", "1")
    statuses = [json.loads((project.root / "data/raw" / path).read_text())["status"] for path in project.records()]
    assert statuses == ["ok"] * 4
    assert json.loads(python(project, "-c", ASK, "x.duckdb")) == GROUPS
    python(project, "-m", "spindlemark.measure", "--clean")
    assert leftovers(project.root) == []


def test_a_run_publishes_its_answers(project):
    out = project.call("run")
    assert len(project.records()) >= 12, out
    found = json.loads((project.root / "data/build/current/findings.json").read_text())
    assert [g["group"] for g in found["groups"]] == [group for group, baseline, _ in GROUPS if baseline is None]
    answered = found["groups"][0]["recommendation"]
    assert (answered["verdict"], answered["options"][0]["configuration"]) == ("better", "swift")
    assert {c["question"] for c in found["contrasts"]} == {"mtu"}
    pages = "".join(path.read_text() for path in (project.root / "data/build/site").rglob("index.html"))
    assert "Which server answers first?" in pages and "swift" in pages
