"""Plan: declarations x testbed -> the experiments and repetitions wanted, each with its identity and its path."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark import declare, experiments, inputs, paths, written
from spindlemark.errors import UserError
from spindlemark.limits import MOST_REPETITIONS, shown
from spindlemark.record import MOST_BYTES, Closed, Spec, read_model

PLAN_FORMAT = 2
ANEW = "move it away: the next run writes it anew"


class Planned(Closed):
    """One experiment of the plan; paths are relative to the project's root."""

    experiment: str
    family: str
    testbed: str
    kind: str = Field(description="of the testbed; experiments of one kind are interleaved")
    identity: str
    spec: str
    repetitions: int
    records: list[str] = Field(description="raw results wanted, one per repetition")
    chosen: bool = Field(default=True, description="false where this run was asked for other experiments only")


class Plan(Closed):
    """What the present declarations ask for; `data/build/plan.json`."""

    plan_format: int = PLAN_FORMAT
    profile: str
    seed: int
    stability: declare.Stability
    experiments: list[Planned]


@dataclass(frozen=True)
class Request:
    """What the caller asks for beyond `config/`: None means as declared."""

    profile: str | None = None
    testbed: str | None = None
    repetitions: int | None = None
    family: str | None = None
    only: str | None = None
    more: Mapping[str, int] | None = None  # identity -> repetitions wanted beyond the declared number


def make(registry: declare.Registry, request: Request = Request()) -> tuple[Plan, list[Spec]]:
    """Resolve every declared experiment. Returns the plan and its specs, in the same order. Touches no file."""
    if request.repetitions is not None and request.repetitions not in range(1, MOST_REPETITIONS + 1):
        raise UserError(f"repetitions: {shown(request.repetitions)} is no number from 1 to {MOST_REPETITIONS}", "choose one")
    profile_name = request.profile or registry.config.profile
    profile = declare.choose(registry.profiles, profile_name, "profile", "config/profiles/")
    declare.choose(registry.testbeds, request.testbed or registry.config.testbed, "testbed", "config/testbeds/")
    if request.family:
        declare.choose(registry.experiments, request.family, "family", "config/experiments/")
    specs = experiments.specs(registry, profile_name, request.testbed)
    planned = [_planned(spec, request, experiments.amount(profile, spec.experiment).repetitions,
                        registry.testbeds[spec.experiment.testbed].kind) for spec in specs]
    if not any(experiment.chosen for experiment in planned):
        raise UserError(f"no experiment is called like {request.only or 'anything: config/experiments/ is empty'}",
                        "see the names with: ./spindlemark plan")
    plan = Plan(profile=profile_name, seed=registry.config.seed, stability=profile.stability, experiments=planned)
    return plan, specs


def prepare(settings: Mapping[str, Any]) -> Plan:
    """Make and write the plan for `snakemake --config` settings: profile, testbed, repetitions, family, only, more."""
    known = {"profile", "testbed", "repetitions", "family", "only", "more", "measure"}
    for key in settings:
        if key not in known:
            raise UserError(f"--config: unknown key {key}", f"there are: {', '.join(sorted(known))}")
    more = json.loads(Path(settings["more"]).read_text()) if settings.get("more") else None
    text = {key: str(settings[key]) for key in ("profile", "testbed", "family", "only") if settings.get(key)}
    request = Request(**text, repetitions=settings.get("repetitions"), more=more)
    plan, specs = make(declare.load(), request)
    write(plan, specs)
    return plan


def write(plan: Plan, specs: list[Spec], root: Path = paths.ROOT) -> None:
    """Write each spec that is not there yet and the plan when it changed: an untouched file reruns nothing."""
    for planned, spec in zip(plan.experiments, specs, strict=True):
        write_once(root / planned.spec, spec.model_dump_json(indent=1) + "\n")
    write_if_changed(root / paths.PLAN.relative_to(paths.ROOT), plan.model_dump_json(indent=1) + "\n")


def read(path: Path = paths.PLAN) -> Plan:
    """Read the plan that was written last; raises UserError when there is none."""
    if not path.exists():
        raise UserError(f"{path}: no plan yet", "make one with: ./spindlemark plan")
    return read_model(Plan, path, ANEW)


def read_or_empty() -> Plan:
    """The plan that was written last; where nothing was ever planned, one without experiments is written."""
    if not paths.PLAN.exists():
        registry = declare.load()
        profile = declare.choose(registry.profiles, registry.config.profile, "profile", "config/profiles/")
        write(Plan(profile=registry.config.profile, seed=registry.config.seed, stability=profile.stability, experiments=[]), [])
    return read()


def read_or_none(path: Path = paths.PLAN) -> Plan | None:
    """The plan that was written last, or None where nothing was ever planned."""
    return read(path) if path.exists() else None


def write_once(path: Path, text: str) -> None:
    """Write a file that never changes afterwards."""
    if not path.exists():
        written.write(path, text)


def write_if_changed(path: Path, text: str) -> None:
    """Write a file only when its content differs, so that its time stamp means something."""
    if not path.exists() or inputs.read(path, MOST_BYTES, ANEW) != text.encode():
        written.write(path, text)


def _planned(spec: Spec, request: Request, declared: int, kind: str) -> Planned:
    """A run that asks for some experiments only leaves the others in the plan as they are declared."""
    e = spec.experiment
    chosen = (request.family in (None, e.family)) and (request.only or "") in e.experiment
    repetitions = max(request.repetitions if chosen and request.repetitions else declared,
                      (request.more or {}).get(spec.identity, 0))
    path = paths.spec_path(e.testbed, e.family, e.experiment, spec.identity)
    return Planned(experiment=e.experiment, family=e.family, testbed=e.testbed, kind=kind, identity=spec.identity,
                   spec=str(path), chosen=chosen, repetitions=repetitions,
                   records=[str(paths.record_path(path, n)) for n in range(1, repetitions + 1)])
