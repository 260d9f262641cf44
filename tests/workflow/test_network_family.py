"""A family whose subject serves over a link: measured by the driver, killed, refused, and with its network taken away."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from project import Project, leftovers
from spindlemark.core import private_files

MODULE = '''\
"""Family `serving`: a file over HTTP."""

from spindlemark.core.metric import Metric
from spindlemark.core.process import programs
from spindlemark.families.factors.network_settings import CONGESTION, DELAY, MTU
from spindlemark.families.family import Family
from spindlemark.testbeds.background import background
from spindlemark.testbeds import namespaces

METRICS = {"answer_seconds": Metric(title="Answer", unit="s", better="lower", description="until it was there")}
SERVER = ("import http.server, os, sys; os.chdir('/usr'); "
          "http.server.ThreadingHTTPServer((sys.argv[1], 8000), http.server.SimpleHTTPRequestHandler).serve_forever()")
CLIENT = "import sys, urllib.request as u; len(u.urlopen('http://' + sys.argv[1] + ':8000/', timeout=60).read()) > 100 or sys.exit(1)"


def expected(factors, size):
    return 1.0, 0.0


def steps(session):
    link = session.testbed
    server = link.within(link.server, [*programs.PYTHON, "-c", SERVER, link.server.address], user="nobody")
    with background(session, server, name="server", ready=lambda: answers(link), ready_seconds=60):
        before = link.carried()
        with session.step("answer") as step:
            session.run(link.within(link.client, [*programs.PYTHON, "-c", CLIENT, link.server.address]))
            if session.factors["mtu"] == "1280":  # somebody takes the link down
                session.run(link.within(link.client, ["ip", "link", "set", link.client.interface, "down"]))
                session.run(link.within(link.client, [*programs.PYTHON, "-c", CLIENT, link.server.address]))
            if session.factors["mtu"] == "1400":
                session.run([*programs.PYTHON, "-c", "import time; time.sleep(600)"])
        session.note({"serving.carried_bytes": link.carried().since(before).server_bytes})
    session.measure("answer_seconds", step.seconds)


def answers(link):
    import socket
    from pathlib import Path

    def ask():
        with socket.socket() as asking:
            asking.settimeout(5)
            return asking.connect_ex((link.server.address, 8000)) == 0

    return namespaces.inside(Path(link.client.namespace), ask)


FAMILY = Family(
    method=1, metrics=METRICS, steps=steps, expected=expected, shared=(MTU, CONGESTION, DELAY)
)
'''
EXPERIMENTS = """\
description: One server
sets:
  - testbeds: [link]
    factors: {mtu: ['1500', '9000']}
  - testbeds: [link]
    factors: {mtu: ['1500'], delay: [2-ms]}
  - testbeds: [link]
    factors: {mtu: ['1280', '1400']}
  - testbeds: [link]
    factors: {mtu: ['1500'], congestion: [nosuch]}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    made = Project(tmp_path_factory.mktemp("network") / "project")
    (made.root / "config/experiments/filesystem_lifecycle.yaml").unlink()
    made.write("workflow/spindlemark/families/serving/__init__.py", "")
    made.write("workflow/spindlemark/families/serving/family.py", MODULE)
    made.write("config/experiments/serving.yaml", EXPERIMENTS)
    for words in (
        ["spindlemark.cli.schemas"],
        ["spindlemark.measure", "--plan", "{}", "--run", "data/build/runs/test"],
    ):
        done = called(made, "-m", *words)
        assert done.returncode == 0, done.stderr
    yield made
    assert called(made, "-m", "spindlemark.measure", "--clean").returncode == 0
    assert leftovers(made.root) == [] and not list(private_files.RUN.glob("net-*"))


def called(project: Project, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-P", *words],
        cwd=project.root,
        env=project.environment(),
        check=False,
        capture_output=True,
        text=True,
    )


def spec(project: Project, slug: str) -> Path:
    planned = json.loads((project.root / "data/build/plan.json").read_text())["experiments"]
    return project.root / next(e["spec"] for e in planned if e["experiment"] == slug)


def measured(project: Project, slug: str) -> dict:
    done = called(project, "-m", "spindlemark.measure", str(spec(project, slug)), "--repetition", "1")
    assert done.returncode == 0, done.stderr
    return json.loads((spec(project, slug).parent / "rep-1.json").read_text())


@pytest.mark.parametrize(("slug", "delay"), [("9000", 0.0), ("1500--2-ms", 0.004)])
def test_a_server_answers_over_the_link(project, slug, delay):
    record = measured(project, slug)
    assert record["status"] == "ok", record["reason"]
    environment = record["environment"]
    assert environment["link.mtu"] == slug.split("--")[0] and environment["serving.carried_bytes"] > 100
    assert record["measurements"][0]["value"] >= 2 * delay, "a connection is a round trip, and an answer another"
    server = next(c for c in record["commands"] if c["step"] == "server")
    assert server["exit_code"] == -15 and server["user_seconds"] > 0 and "--reuid=nobody" in server["argv"]
    assert "GET / HTTP" in server["stderr"] and any(c["argv"][-1] == "198.18.0.1" for c in record["commands"])
    if delay:
        assert environment["link.disturbed_by"] in ("netem", "relay")


def test_what_this_kernel_has_not_is_unsupported_and_the_testbed_goes_on(project):
    run = project.root / "data/build/runs/test"
    tried = called(
        project, "-m", "spindlemark.measure", "--try", "link", "--run", str(run), "--output", str(run / "tried")
    )
    assert tried.returncode == 0, tried.stderr
    assert "no congestion control nosuch" in (run / "tried").read_text()
    record = measured(project, "1500--nosuch")
    assert record["status"] == "unsupported" and "no congestion control nosuch" in record["reason"]


def test_a_link_taken_down_in_mid_trial_is_no_result(project):
    done = called(project, "-m", "spindlemark.measure", str(spec(project, "1280")), "--repetition", "1")
    assert done.returncode == 1 and "the link went down while it was measured" in done.stderr
    assert not list(spec(project, "1280").parent.glob("rep-*"))


def test_two_at_once_refuse_each_other_and_a_kill_leaves_nothing(project):
    where = project.root / "data/build/running.json"
    words = [sys.executable, "-P", "-m", "spindlemark.measure", str(spec(project, "1400")), "--repetition", "1"]
    first = subprocess.Popen(
        words, cwd=project.root, env=project.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        give_up = time.monotonic() + 120
        while not (where.exists() and json.loads(where.read_text())["step"] == "answer"):
            assert first.poll() is None and time.monotonic() < give_up, first.stderr.read()
            time.sleep(0.05)
        other = called(
            project, "-m", "spindlemark.measure", str(spec(project, "1500")), "--repetition", "1", "--no-wait"
        )
        assert other.returncode == 2 and "this machine is in use by process" in other.stderr
    finally:
        first.kill()
        first.wait()
    assert measured(project, "1500")["status"] == "ok", "the next start takes away what the killed one left"
    assert not list(private_files.RUN.glob(f"net-{first.pid}*")) and not list(
        private_files.RUN.glob(f"background-{first.pid}*")
    )
