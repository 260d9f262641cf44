# What every rule file shares: the plan, the versions, and how our commands are called.
import sys

from snakemake.scheduling.job_scheduler import JobScheduler
from spindlemark import pending, plan, release
from spindlemark.paths import ROOT

workdir: ROOT

# With a limit on job starts Snakemake 9.27 sets a timer at each look for jobs, and each timer makes it look and set another:
# after two hundred jobs that keeps a processor busy, beside a measurement. The profile's limit is never reached, so there is
# nothing to look for until a job has ended.
JobScheduler._schedule_reevalutation = lambda self, delay: None

PYTHON = f"{sys.executable} -P -m"
FAMILIES = [path.stem for path in (ROOT / "rules/measure").glob("*.smk")]
FAMILY_CODE = sorted(str(path) for path in (ROOT / "workflow/spindlemark/families").glob("*.py"))

# `--config measure=false` publishes what exists and touches no device.
MEASURE = str(config.get("measure", True)).lower() != "false"
PLAN = plan.prepare(config) if MEASURE else plan.read_or_empty()
PRIORITY = pending.priorities(PLAN) if MEASURE else {}
WANTED = [record for e in PLAN.experiments if e.chosen for record in e.records] if MEASURE else []
FOUND = pending.existing_records(PLAN)

RELEASED = [version.version for version in release.versions()]
# Where nothing was ever measured or released, an empty current version says what to run.
VERSIONS = (["current"] if WANTED or FOUND or not RELEASED else []) + RELEASED


wildcard_constraints:
    version=r"current|studies|\d{4}\.\d{2}(\.\d+)?",
    n=r"\d+",
    identity=r"[0-9a-f]{12}",


def priority_of(family):
    """The plan's random order as a function of wildcards: Snakemake knows a job's output only after its priority."""
    pattern = f"data/raw/{{0.testbed}}/{family}/{{0.experiment}}/{{0.identity}}/rep-{{0.n}}.json"
    return lambda wildcards: PRIORITY.get(pattern.format(wildcards), 0)


rule measured:
    input:
        WANTED,
