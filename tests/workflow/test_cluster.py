"""Testbeds of other hosts by ssh and by Slurm: real daemons on the loopback, each host with an identity of its own."""

import json
import os
import subprocess
import sys

import duckdb
import pytest

import cluster
from project import Project, leftovers
from spindlemark.core import host

SSH, SLURM = ("ssh", "sshd", "ssh-keygen", "rsync"), ("munged", "slurmctld-wlm", "slurmd-wlm", "sbatch", "rsync")
ONE = """\
description: One filesystem under one library
sets:
  - factors: {filesystem: [ext4], library: [picture]}
"""
# As the project's own, with the environment that is there: each copy is the root of what it starts.
COMMAND = """\
#!/bin/sh
root=$(dirname "$(readlink -f "$0")")
exec env SPINDLEMARK_ROOT="$root" PYTHONPATH="$root/workflow" CI=1 {python} -P -m spindlemark "$@"
"""
HOSTS = ("tb1", "tb2")


@pytest.fixture
def home(tmp_path, needs_root):
    project = Project(tmp_path / "home")
    project.write("config/experiments/filesystem_lifecycle.yaml", ONE)
    loop = (project.root / "config/testbeds/loop.yaml").read_text()
    for name in HOSTS:
        project.write(f"config/testbeds/{name}-loop.yaml", f"{loop}host: {{name: {name}, folder: {tmp_path}/{name}}}\n")
    project.write("spindlemark", COMMAND.format(python=sys.executable))
    (project.root / "spindlemark").chmod(0o755)
    return project


def asked(home, profile, environment, *words, code=0):
    """Ask the hosts as a user of Snakemake does; what was said."""
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "snakemake",
            "hosts",
            *words,
            "--workflow-profile",
            f"workflow/profiles/{profile}",
        ],
        cwd=home.root,
        env=home.environment() | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    said = done.stdout + done.stderr
    assert done.returncode == code, said + "".join(log.read_text() for log in home.root.rglob("logs/hosts/*.log"))
    return said


def machines(home):
    """Testbed -> the machines that its records at home name."""
    found = {}
    for path, text in home.contents().items():
        record = json.loads(text)
        assert record["status"] == "ok", record["reason"]
        found.setdefault(path.split("/")[0], set()).add(record["experiment"]["fingerprint"]["host"])
    return found


@pytest.mark.skipif(bool(cluster.lacking(*SSH)), reason=f"not here: {', '.join(cluster.lacking(*SSH))}")
def test_hosts_reached_by_ssh_measure_as_themselves_and_home_publishes(home, tmp_path):
    with cluster.ssh(tmp_path / "ssh", *HOSTS) as environment:
        assert cluster.listening(tmp_path / "ssh") == {"127.0.0.1"}
        asked(home, "ssh", environment)
        before = home.contents()
        found = machines(home)
        assert found.keys() == {"tb1-loop", "tb2-loop"} and len(before) == 2
        assert len({host.identity(), *found["tb1-loop"], *found["tb2-loop"]}) == 3, "each is a machine of its own"
        # Its results are gone there: they come along, and nothing is measured twice.
        (copy,) = (tmp_path / "tb1").iterdir()
        for record in copy.glob("data/raw/**/rep-*.json"):
            record.unlink()
        asked(
            home,
            "ssh",
            environment,
            "data/build/current/spindlemark.duckdb",
            "--config",
            "measure=false",
            "testbed=tb1-loop",
        )
        assert home.contents() == before
    with duckdb.connect(str(home.root / "data/build/current/spindlemark.duckdb"), read_only=True) as database:
        rows = database.execute("select testbed, count(*) from record where source = 'measured' group by 1").fetchall()
    assert sorted(rows) == [("tb1-loop", 1), ("tb2-loop", 1)]
    refused = home.call("run", "--testbed", "tb1-loop", code=2)
    assert "testbed tb1-loop is on host tb1" in refused and "workflow/profiles/ssh hosts" in refused
    assert all(leftovers(tmp_path / name) == [] for name in HOSTS)


@pytest.mark.skipif(bool(cluster.lacking(*SLURM)), reason=f"not here: {', '.join(cluster.lacking(*SLURM))}")
def test_slurm_starts_the_job_of_each_host_there(home, tmp_path):
    with cluster.slurm(tmp_path / "slurm", *HOSTS) as environment:
        assert cluster.listening(tmp_path / "slurm") == {"127.0.0.1"}, "nobody else's machine reaches them"
        asked(
            home,
            "slurm",
            environment,
            "--slurm-init-seconds-before-status-checks",
            "1",
            "--seconds-between-status-checks",
            "1",
        )
        found = machines(home)
        assert found.keys() == {"tb1-loop", "tb2-loop"}
        assert len({host.identity(), *found["tb1-loop"], *found["tb2-loop"]}) == 3
    environments = [json.loads(text)["environment"] for text in home.contents().values()]
    assert {each["cpu.usable"] for each in environments} == {os.cpu_count()}, "the whole host is the job's"
    assert all(leftovers(tmp_path / name) == [] for name in HOSTS)


def test_a_host_that_cannot_be_reached_is_told_and_its_testbed_is_measured_nowhere_else(home, tmp_path):
    """Without a server behind the name: one clear line, and no result."""
    said = asked(home, "ssh", {}, code=1)
    assert "host tb1: rsync ended with exit code" in said and "docs/cluster.md" in said
    assert home.contents() == {}
