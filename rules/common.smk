# What all rules share: the plan, the versions, and how our commands are called.
import json
import os
import shlex
import sys
import time

from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.settings.types import DeploymentMethod
from spindlemark import config as declarations
from spindlemark.cli import scheduling
from spindlemark.core import dry_run, errors, paths
from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs
from spindlemark.measure import pending, plan
from spindlemark.release import versions as release
from spindlemark.release.contributions import imported
from spindlemark.testbeds import hosts


workdir: ROOT


with errors.told_and_ended():
    scheduling.stop_timer(JobScheduler)

# With `--sdm conda` the environment's own Python.
CONDA = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
PYTHON = (
    f"env PYTHONPATH={shlex.quote(str(paths.PROJECT / 'workflow'))} python -P -m"
    if CONDA
    else f"{shlex.join(programs.PYTHON)} -m"
)
FAMILIES = [path.stem for path in (ROOT / "rules/measure").glob("*.smk")]
FAMILY_CODE = sorted(str(path) for path in (ROOT / "workflow/spindlemark/families").rglob("*.py"))

# `--config measure=false` publishes what exists and touches no device.
MEASURE = str(config.get("measure", True)).lower() != "false"

# Reading the rules writes nothing: a dry run, a graph or a lint leaves everything as it is, and fetches no kernel.
if dry_run.is_asked(sys.argv[1:]):
    dry_run.begin()
with errors.told_and_ended():
    REGISTRY = declarations.load()
    PLAN = plan.make(REGISTRY, plan.asked(config))[0] if MEASURE else plan.found(REGISTRY)
    RELEASED = [version.version for version in release.versions()]
    FOUND = pending.existing_records(PLAN)
    HOSTS = sorted(hosts.others(REGISTRY, plan.asked(config).testbed))

# Notes of this run alone, below a folder for each round: Snakemake's outputs lie here. It removes the outputs of a job before it starts it and after it
# failed, so a result, which is written once and never removed, is none of them.
RUN = f"data/build/runs/{config.get('run') or time.strftime('%Y%m%dT%H%M%S') + f'-{os.getpid()}'}"
WRITTEN = ["data/build/plan.json"] if paths.PLAN.exists() else []
PLANNED = WRITTEN if not MEASURE or plan.is_written(PLAN) else [f"{RUN}/planned"]
with errors.told_and_ended():
    JOBS, ASKED = pending.asked(PLAN, ROOT / RUN) if MEASURE else ([], None)
NOTES = [f"{RUN}/measured/{ASKED.run}.{job.round}/{job.record.removeprefix('data/raw/')}" for job in JOBS]
PRIORITY = {note: len(NOTES) - rank for rank, note in enumerate(NOTES)}

# Where nothing was ever measured or released, an empty current version says what to run.
VERSIONS = (["current"] if JOBS or FOUND or not RELEASED else []) + RELEASED


wildcard_constraints:
    version=r"current|studies|\d{4}\.\d{2}(\.\d+)?",
    bundle=r"[A-Za-z0-9][A-Za-z0-9._-]*",
    run=r"[A-Za-z0-9-]+",
    round=r"[A-Za-z0-9.-]+",
    host=r"[^/]+",
    testbed=r"[^/]+",
    experiment=r"[^/]+",
    n=r"\d+",
    identity=r"[0-9a-f]{12}",


def priority_of(family):
    """The plan's random order as a function of wildcards: Snakemake knows a job's output only after its priority."""
    pattern = f"data/build/runs/{{0.run}}/measured/{{0.round}}/{{0.testbed}}/{family}/{{0.experiment}}/{{0.identity}}/rep-{{0.n}}.json"
    return lambda wildcards: PRIORITY.get(pattern.format(wildcards), 0)


def records_of(wildcards):
    """A release's manifest vouches for its records; the current version depends on each of its own."""
    if wildcards.version == "studies":
        return []
    if wildcards.version == "current":
        return [*PLANNED, *FOUND, *NOTES]
    return f"data/releases/{wildcards.version}/manifest.json"


def database_command(wildcards):
    if wildcards.version in ("studies", "current"):
        return f"spindlemark.analysis.database --{wildcards.version}"
    return f"spindlemark.release database {wildcards.version}"


def findings_of(wildcards):
    if wildcards.version == "current":
        return "data/build/current/findings.json"
    return f"data/releases/{wildcards.version}/findings.json"


def older_than(wildcards):
    """The findings that a version is compared with: RELEASED has the newest first."""
    later = RELEASED.index(wildcards.version) + 1 if wildcards.version in RELEASED else 0
    return expand("data/releases/{version}/findings.json", version=RELEASED[later:])


def online_of(wildcards):
    """The versions of a site that goes online, the one at its root first."""
    return RELEASED if wildcards.what == "released" else [*RELEASED, "current"]


def joined_of(wildcards):
    """What other machines said when a version was made; a release from before others could join has none."""
    if wildcards.version == "current":
        return "data/build/current/joined.json"
    return [path for path in [f"data/releases/{wildcards.version}/joined.json"] if (ROOT / path).exists()]


def crate_of(wildcards):
    return [] if wildcards.version == "current" else [f"data/build/crates/spindlemark-{wildcards.version}.zip"]


def sources(*folders):
    return sorted(str(path) for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())


# What measuring leaves in memory and on disk when no repetition follows; the command line does it by itself.
def clean():
    if NOTES:
        programs.run([*programs.PYTHON, "-m", "spindlemark.measure", "--clean"])


onsuccess:
    clean()


onerror:
    clean()
