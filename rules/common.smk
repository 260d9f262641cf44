# What all rules share: the plan, the versions, and how our commands are called.
import json
import math
import os
import shlex
import time
from functools import cache

from snakemake.settings.types import DeploymentMethod
from spindlemark import config as declarations
from spindlemark.core import code_files, dry_run, errors, paths
from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs
from spindlemark.families import registry as families
from spindlemark.measure import pending, plan
from spindlemark.measure.request import request_of
from spindlemark.release import versions as release
from spindlemark.release.contributions import imported
from spindlemark.testbeds import hosts


workdir: ROOT


# With `--sdm conda` the environment's own Python.
CONDA = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
PYTHON = (
    f"env PYTHONPATH={shlex.quote(str(paths.PROJECT / 'workflow'))} python -P -m"
    if CONDA
    else f"{shlex.join(programs.PYTHON)} -m"
)
FAMILIES = families.names()

# `--config measure=false` publishes what exists and touches no device.
MEASURE = str(config.get("measure", True)).lower() != "false"

# Reading the rules writes nothing and needs no network: a dry run, a graph or a lint leaves everything as it is.
dry_run.begin()
with errors.exit_on_user_error():
    REGISTRY = declarations.load()
    PLAN, specs = plan.make(REGISTRY, request_of(config)) if MEASURE else (plan.found(REGISTRY), [])
    RELEASED = [version.version for version in release.versions()]
    FOUND = pending.existing_records(PLAN)
    HOSTS = sorted(hosts.others(REGISTRY, request_of(config).testbed))

# What belongs to one call alone: its provenance and the trials. A call of `run` finds its provenance there.
RUN = f"data/build/runs/{config.get('run') or time.strftime('%Y%m%dT%H%M%S') + f'-{os.getpid()}'}"
with errors.exit_on_user_error():
    JOBS = pending.requested(PLAN, ROOT / RUN)[0] if MEASURE else []
SPECS = {spec.identity: spec for spec in specs}
EXPERIMENTS = {each.identity: each for each in PLAN.experiments}
NEW_SPECS = [each.spec for each in PLAN.experiments if MEASURE and not os.path.exists(each.spec)]
PLANNED = (
    [f"{RUN}/provenance.json"]
    if MEASURE and (JOBS or NEW_SPECS or not plan.is_written(PLAN))
    else [str(paths.PLAN.relative_to(ROOT))] if paths.PLAN.exists() else []
)
# Records that this call makes. Those that exist are jobs too, with nothing to do, so that graphs and summaries show them; of
# very many, only those of experiments that lack one, since reading the others would take Snakemake longer than all else.
MISSING = [job.record for job in JOBS]
SHOWN = len(FOUND) <= 500
LACKING = r"[0-9a-f]{12}" if SHOWN else "|".join(sorted({job.experiment.identity for job in JOBS})) or "(?!)"
PRIORITY = {record: len(MISSING) - rank for rank, record in enumerate(MISSING)}

# Where nothing was ever measured or released, an empty current version says what to run.
VERSIONS = (["current"] if JOBS or FOUND or not RELEASED else []) + RELEASED


wildcard_constraints:
    version=r"current|studies|\d{4}\.\d{2}(\.\d+)?",
    bundle=r"[A-Za-z0-9][A-Za-z0-9._-]*",
    run=r"[A-Za-z0-9-]+",
    host=r"[^/]+",
    testbed=r"[^/]+",
    experiment=r"[^/]+",
    n=r"\d+",
    identity=r"[0-9a-f]{12}",


def record_of(family, wildcards):
    return f"data/raw/{wildcards.testbed}/{family}/{wildcards.experiment}/{wildcards.identity}/rep-{wildcards.n}.json"


def priority_of(family):
    """The plan's random order as a function of wildcards: Snakemake knows a job's output only after its priority."""
    return lambda wildcards: PRIORITY.get(record_of(family, wildcards), 0)


def trial_of(family):
    """The trial is an input only where the record is missing: a missing `ancient` input would run the job again."""

    def needed(wildcards):
        if (ROOT / record_of(family, wildcards)).exists():
            return []
        without_rate_limit()
        return f"{RUN}/tried/{wildcards.testbed}"

    return needed


def without_rate_limit():
    """No limit on job starts while measuring.

    With one, Snakemake 9.27 sets a timer at each look for jobs, which makes it look again and set another: after two
    hundred jobs that keeps a processor busy during a measurement. The command line has no word for "none".
    """
    if workflow.scheduling_settings:
        workflow.scheduling_settings.max_jobs_per_timespan = None


@cache
def minutes_of(identity):
    """Time limit of a repetition on a cluster, in minutes: three times what is expected, and ten to start with."""
    seconds = pending.seconds(EXPERIMENTS[identity], SPECS[identity]) if identity in SPECS else 0
    return 10 + math.ceil(3 * seconds / 60)


@cache
def why(identity):
    """Why an experiment has a missing record, in one line."""
    return pending.reason(SPECS[identity]) if identity in SPECS else "asked for by name"


def records_of(wildcards):
    """A release's manifest vouches for its records; the current version depends on each of its own."""
    if wildcards.version == "studies":
        return []
    if wildcards.version == "current":
        return list(dict.fromkeys([*PLANNED, *FOUND, *MISSING]))
    return f"data/releases/{wildcards.version}/manifest.json"


def database_command(wildcards):
    if wildcards.version in ("studies", "current"):
        return f"spindlemark.analysis.database --{wildcards.version}"
    return f"spindlemark.release database {wildcards.version}"


def findings_of(wildcards):
    if wildcards.version == "current":
        return "data/build/current/findings.json"
    return f"data/releases/{wildcards.version}/findings.json.zst"


def older_than(wildcards):
    """The findings that a version is compared with: RELEASED has the newest first."""
    later = RELEASED.index(wildcards.version) + 1 if wildcards.version in RELEASED else 0
    return expand("data/releases/{version}/findings.json.zst", version=RELEASED[later:])


# Known errors of releases, which pages show and checks leave out; a project of its own may have none.
ERRATA = [file for file in ["data/errata.yaml"] if (ROOT / file).exists()]


def deployed_of(wildcards):
    """The versions of a site that is deployed, the one at its root first."""
    return RELEASED if wildcards.what == "released" else [*RELEASED, "current"]


def html_of(versions):
    """The HTML of each version; that of one that is no longer the newest is smaller."""
    newest = {"current", *RELEASED[:1]}
    return {v: f"data/build/{v}/{'html' if v in newest else 'archived'}" for v in versions}


def joined_of(wildcards):
    """What other machines said when a version was made; a release from before others could join has none."""
    if wildcards.version == "current":
        return "data/build/current/joined.json"
    return [path for path in [f"data/releases/{wildcards.version}/joined.json"] if (ROOT / path).exists()]


def code_of(*programs):
    """All modules behind these programs, as an input function: a run without the rule does not look for them."""
    return lambda wildcards: code_files.source_files(*(f"spindlemark.{program}" for program in programs))


def sources(*folders):
    return sorted(str(path) for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())


# What measuring leaves in memory and on disk when no repetition follows; the command line does it by itself.
def clean(*options):
    if MISSING:
        programs.run([*programs.PYTHON, "-m", "spindlemark.measure", "--clean", *options])


onsuccess:
    clean()


# Also after Ctrl-C, so it does not wait long for another project that measures.
onerror:
    clean("--within", "5")
