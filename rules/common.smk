# What every rule file shares: the plan, the versions, and how our commands are called.
import json
import os
import shlex
import sys
import time

from snakemake.scheduling.job_scheduler import JobScheduler
from spindlemark import declare, errors, looking, paths, pending, plan, programs, release
from spindlemark.paths import ROOT

workdir: ROOT

# With a limit on job starts Snakemake 9.27 sets a timer at each look for jobs, and each timer makes it look and set another:
# after two hundred jobs that keeps a processor busy, beside a measurement. The profile's limit is never reached, so there is
# nothing to look for until a job has ended.
JobScheduler._schedule_reevalutation = lambda self, delay: None

PYTHON = f"{shlex.join(programs.PYTHON)} -m"
FAMILIES = [path.stem for path in (ROOT / "rules/measure").glob("*.smk")]
FAMILY_CODE = sorted(str(path) for path in (ROOT / "workflow/spindlemark/families").glob("*.py"))

# `--config measure=false` publishes what exists and touches no device.
MEASURE = str(config.get("measure", True)).lower() != "false"

# Reading the rules writes nothing: a dry run, a graph or a lint leaves everything as it is, and fetches no kernel.
if looking.is_asked(sys.argv[1:]):
    looking.begin()
with errors.told_and_ended():
    REGISTRY = declare.load()
    PLAN = plan.make(REGISTRY, plan.asked(config))[0] if MEASURE else plan.found(REGISTRY)
    RELEASED = [version.version for version in release.versions()]
    FOUND = pending.existing_records(PLAN)

# Notes of this run alone, below a folder for each round: Snakemake's outputs lie here. It removes the outputs of a job before it starts it and after it
# failed, so a result, which is written once and never removed, is none of them.
RUN = f"data/build/runs/{config.get('run') or time.strftime('%Y%m%dT%H%M%S') + f'-{os.getpid()}'}"
WRITTEN = ["data/build/plan.json"] if paths.PLAN.exists() else []
PLANNED = WRITTEN if not MEASURE or plan.is_written(PLAN) else [f"{RUN}/planned"]
with errors.told_and_ended():
    JOBS, ASKED = pending.asked(PLAN, ROOT / RUN) if MEASURE else ([], None)
LOOKS = ASKED.looks if ASKED else 0
NOTES = [f"{RUN}/measured/{ASKED.run}.{job.round}/{job.record.removeprefix('data/raw/')}" for job in JOBS]
PRIORITY = {note: len(NOTES) - rank for rank, note in enumerate(NOTES)}

# Where nothing was ever measured or released, an empty current version says what to run.
VERSIONS = (["current"] if JOBS or FOUND or not RELEASED else []) + RELEASED


wildcard_constraints:
    version=r"current|studies|\d{4}\.\d{2}(\.\d+)?",
    run=r"[A-Za-z0-9-]+",
    round=r"[A-Za-z0-9.-]+",
    testbed=r"[^/]+",
    experiment=r"[^/]+",
    n=r"\d+",
    identity=r"[0-9a-f]{12}",


def priority_of(family):
    """The plan's random order as a function of wildcards: Snakemake knows a job's output only after its priority."""
    pattern = f"data/build/runs/{{0.run}}/measured/{{0.round}}/{{0.testbed}}/{family}/{{0.experiment}}/{{0.identity}}/rep-{{0.n}}.json"
    return lambda wildcards: PRIORITY.get(pattern.format(wildcards), 0)


localrules:
    plan,


# The plan becomes the last run's: the specs are there, and what is published follows it.
rule plan:
    output:
        "data/build/runs/{run}/planned",
    params:
        settings=lambda wildcards: json.dumps(config),  # a function: its braces are no wildcards
    priority: 1000000
    shell:
        "{PYTHON} spindlemark.plan {params.settings:q} --output {output:q}"


# Each testbed is tried once before its first repetition; one that cannot work is set aside, and the others are measured.
rule trial:
    input:
        PLANNED,
    output:
        "data/build/runs/{run}/tried/{testbed}",
    threads: workflow.cores
    priority: 1000000
    shell:
        "{PYTHON} spindlemark.measure --try {wildcards.testbed:q} --run data/build/runs/{wildcards.run:q} --output {output:q}"


# Fails when something was set aside, after everything else was measured.
rule account:
    input:
        NOTES,
    output:
        touch("data/build/runs/{run}/accounted"),
    shell:
        "{PYTHON} spindlemark.measure --account --run data/build/runs/{wildcards.run:q}"


rule measured:
    input:
        PLANNED,
        [f"{RUN}/accounted"] if NOTES else [],


# What measuring leaves in memory and on disk when no repetition follows; the command line does it by itself.
def clean():
    if NOTES:
        programs.run([*programs.PYTHON, "-m", "spindlemark.measure", "--clean"])


onsuccess:
    clean()


onerror:
    clean()
