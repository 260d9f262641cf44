"""Looking changes nothing, and every command of the README works as it is written there."""

import re
import shutil
import signal
import time

import pytest

from project import CELLS, Project, leftovers
from spindlemark.core.paths import ROOT

SNAKEMAKE = ".venv/bin/snakemake --workflow-profile workflow/profiles/default"
README = (ROOT / "README.md").read_text()
# Commands whose words stand for others, or that no test can call: the words to call instead, None for not at all.
STANDS_FOR = {
    "./spindlemark test": None,  # this is it
    "./spindlemark run --family NAME": "./spindlemark run --family filesystem_lifecycle",
    "./spindlemark export": "./spindlemark export --yes --output data/build",
    "./spindlemark import FILE": "./spindlemark import --check data/build/*.zip",
    # As a clone with a remote, which this copy is not, and with an address, which nobody but its owner knows.
    "./spindlemark deploy": 'git init -q && git init -q --bare "$PWD.git" && git remote add origin "$PWD.git"'
    " && ./spindlemark cite 2026.11 --site https://media.example.org/ && ./spindlemark deploy --yes",
    "./spindlemark run --profile standard --part loop-1": "./spindlemark plan --profile standard --part loop-1",
    "./spindlemark run --erase SERIAL": None,  # see tests/hostile
}


def commands() -> list[str]:
    """Every command of the README, without its comment."""
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL)).splitlines()
    inline = re.findall(r"`((?:\./spindlemark|\.venv/bin/snakemake) [^`]*)`", README.replace("\n", " "))
    lines = [line.split("  #")[0].strip() for line in (*blocks, *inline)]
    return list(dict.fromkeys(line for line in lines if line))


@pytest.fixture
def project(measured):
    measured.link_environment()
    return measured


def said(project: Project, line: str, code: int = 0) -> str:
    process = project.shell(line)
    out, _ = process.communicate(timeout=900)
    assert process.returncode == code, f"{line}\n{out}"
    return out


def state(project: Project) -> dict[str, tuple[int, bytes]]:
    """Time and content of everything below data/ but logs."""
    left_out = ("data/build/logs", "data/build/run.lock")
    return {
        str(p): (p.stat().st_mtime_ns, p.read_bytes())
        for p in (project.root / "data").rglob("*")
        if p.is_file() and not str(p.relative_to(project.root)).startswith(left_out)
    }


def forget_what_was_published(project: Project) -> None:
    for name in ("current", "site"):
        shutil.rmtree(project.root / "data/build" / name)


def test_every_command_of_the_readme_works_as_written(project):
    called = []
    for line in commands():
        line = STANDS_FOR.get(line, line)
        if line == "./spindlemark serve":
            process = project.shell(f"exec {line} --port 0")
            assert "http://127.0.0.1:" in process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(300) == 0
            process.stdout.close()
        elif line is not None:
            said(project, line)
        called.append(line)
    assert len(called) >= 12 and any("measure=false" in line for line in called if line)


@pytest.mark.parametrize(
    "line",
    [
        f"{SNAKEMAKE} --lint",
        f"{SNAKEMAKE} -n --config profile=quick",
        f"{SNAKEMAKE} --dag",
        f"{SNAKEMAKE} -n --config only=sound",
        f"{SNAKEMAKE} -np --config testbed=vm",
        "./spindlemark plan --profile quick --testbed loop",
        "./spindlemark plan --testbed vm",
    ],
)
def test_looking_changes_nothing(project, line):
    """No kernel of a virtual machine is fetched either, nor is tried whether one starts."""
    before = state(project)
    process = project.shell(line)
    out, _ = process.communicate(timeout=900)
    assert state(project) == before
    assert process.returncode == 0, out  # so the linter of Snakemake finds nothing either
    assert ("The first run fetches the kernel of testbed vm" in out) == ("plan --testbed vm" in line)


def test_what_was_measured_is_published_whatever_somebody_looked_at(project):
    said(project, f"{SNAKEMAKE} -n --config profile=quick")
    forget_what_was_published(project)
    said(project, f"{SNAKEMAKE} site --config measure=false")
    assert (project.root / "data/build/current/findings.json").read_text().count('"identity"') >= CELLS


def test_without_any_plan_what_lies_there_is_published(project):
    forget_what_was_published(project)
    (project.root / "data/build/plan.json").unlink()
    assert "The site is in" in said(project, "./spindlemark site")
    assert (project.root / "data/build/current/findings.json").read_text().count('"identity"') >= CELLS


def test_snakemake_alone_measures_what_is_missing_and_leaves_nothing_in_memory(project):
    assert "Measure data/raw" not in said(project, f"{SNAKEMAKE} -n measured")
    victim = sorted(project.records())[0]
    (project.root / "data/raw" / victim).unlink()
    assert victim in said(project, f"{SNAKEMAKE} -n measured")
    said(project, SNAKEMAKE)
    assert victim in project.records()
    assert leftovers(project.root) == []


def test_a_wrong_word_for_snakemake_ends_with_code_2(project):
    assert "spindlemark: error: --config: testbed" in said(project, f"{SNAKEMAKE} -n --config testbed=7", code=2)
    assert "no testbed is called '007'" in said(project, "./spindlemark run --testbed 007", code=2)
    assert "no experiment has 0 in its name" in said(project, "./spindlemark run --only 0", code=2)


def test_a_name_that_looks_like_a_number_stays_text_to_the_end(project):
    """Snakemake takes what looks like a number for one, however often it is quoted on its command line."""
    shutil.copyfile(project.root / "config/testbeds/loop.yaml", project.root / "config/testbeds/007.yaml")
    said(project, "./spindlemark run --testbed 007 --only xfs--sound --no-adaptive")
    assert [name.split("/")[:3:2] for name in project.records() if name.startswith("007/")] == [["007", "xfs--sound"]]
    asked = project.root / "settings.yaml"
    asked.write_text('{testbed: "007"}')
    assert "007/filesystem_lifecycle" in said(project, f"{SNAKEMAKE} -n measured --configfile {asked}")


def test_the_screen_is_never_silent_for_long(project):
    """Also when it is no terminal: every 15 seconds at least, whatever goes on."""
    for path in project.records():
        (project.root / "data/raw" / path).unlink()
    process = project.shell("./spindlemark run")
    longest, last = 0.0, time.monotonic()
    for _ in process.stdout:
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    assert process.wait() == 0 and longest < 30
