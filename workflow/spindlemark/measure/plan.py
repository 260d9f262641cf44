"""Plan: declarations x testbed -> the wanted experiments and repetitions, each with its identity and its path.

Making a plan changes nothing. `python -m spindlemark.measure --plan`, the first job of a run, writes it:
`data/build/plan.json` is the plan of the last run, never that of a dry run.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from spindlemark import config
from spindlemark.core import atomic_write, declared, migrations, paths, record_store, safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.limits import SpecPath
from spindlemark.core.migrations import PLAN_FORMAT
from spindlemark.core.record import MOST_BYTES, Closed, Spec, join_parts, read_any_format, read_spec
from spindlemark.families import registry as families
from spindlemark.measure import concurrent_controls, experiments, parts
from spindlemark.measure.request import AS_DECLARED, Request, checked, chooses, chosen_part, nothing
from spindlemark.testbeds import hosts

MOVE_IT = "move it away: the next run writes a new one"


class Planned(Closed):
    """One experiment of the plan; paths are relative to the project's root."""

    experiment: str
    workload: str = Field(description="experiments of one workload are measured next to each other")
    family: str
    testbed: str
    kind: str = Field(description="of the testbed; experiments of one kind are interleaved")
    identity: str
    spec: SpecPath
    repetitions: int
    records: list[str] = Field(description="raw results wanted, one per repetition")
    chosen: bool = Field(default=True, description="false where only other experiments were requested of this run")
    rounds: list[int] = Field(
        default=[], description="the repetitions that the requested part of the profile measures; empty: all of them"
    )
    controls: list[list[str]] = Field(
        default=[], description="per question the identities of its possible concurrent controls, best first"
    )

    def record(self, repetition: int) -> str:
        """The path of one repetition's result, also for an additional one."""
        return str(paths.record_path(Path(self.spec), repetition))


class Plan(Closed):
    """The plan of the present declarations; `data/build/plan.json`."""

    plan_format: int = PLAN_FORMAT
    profile: str
    seed: int
    stability: config.Stability
    experiments: list[Planned]


def make(registry: config.Registry, request: Request = AS_DECLARED, root: Path = paths.ROOT) -> tuple[Plan, list[Spec]]:
    """Resolve every declared experiment. Returns the plan and its specs, in the same order. Writes no file."""
    registry, profile_name, profile = checked(registry, request)
    own = _continued(experiments.specs(registry, profile_name, request.testbed), root)
    others = _others(registry, profile_name, own, root)
    specs, requested = own + others, {spec.identity for spec in own}
    _require_declared({spec.experiment.family for spec in specs})
    controls = concurrent_controls.of({spec.identity: spec.experiment for spec in specs}, registry.questions)
    measured = _measured_families(own, root)
    amounts = _amounts(profile, specs)
    part = chosen_part(registry, profile_name, request, [spec.experiment for spec in specs])
    planned = [
        _planned(
            spec,
            request if spec.identity in requested else None,
            _wanted(
                experiments.limited(amounts[_amount_key(spec)], spec.experiment),
                request,
                spec.identity not in requested or spec.experiment.family in measured,
            ),
            registry.testbeds[spec.experiment.testbed].kind,
            controls[spec.identity],
            part,
        )
        for spec in specs
    ]
    if not any(experiment.chosen for experiment in planned):
        raise nothing(request, profile_name)
    away = _of_hosts(registry, root)
    plan = Plan(
        profile=profile_name, seed=registry.config.seed, stability=profile.stability, experiments=planned + away
    )
    return plan, specs + [read_spec(root / each.spec) for each in away]


def _others(registry: config.Registry, profile: str, own: list[Spec], root: Path) -> list[Spec]:
    """What the profile measures on testbeds of this host that the request leaves out, as far as there are results."""
    requested = {spec.experiment.testbed for spec in own}
    found: list[Spec] = []
    for name, testbed in sorted(registry.testbeds.items()):
        if (
            name in requested
            or not (root / paths.RAW.relative_to(paths.ROOT) / name).is_dir()
            or not hosts.is_here(testbed)
        ):
            continue
        try:
            declared = _continued(experiments.specs(registry, profile, name), root)
        except UserError:
            continue  # what cannot be planned there has no result of this profile either
        found += [spec for spec in declared if spec.experiment.testbed == name and _is_measured(spec, root)]
    return found


def _require_declared(measured: set[str]) -> None:
    """Raise UserError for a family whose metrics are not up to date in the generated file that the analysis reads."""
    for name in sorted(measured):
        if declared.families().get(name) != families.declared(name):
            raise UserError(
                f"workflow/families.json: it differs from what family {name} declares now",
                "generate it: .venv/bin/python -m spindlemark.cli.schemas",
            )


def write(plan: Plan, specs: list[Spec], root: Path = paths.ROOT) -> None:
    """Write each new spec, and the plan if it changed, since Snakemake reruns jobs of changed files."""
    for planned, spec in zip(plan.experiments, specs, strict=True):
        record_store.write_spec(root / planned.spec, spec)
    write_if_changed(root / paths.PLAN.relative_to(paths.ROOT), _text(plan))


def is_written(plan: Plan) -> bool:
    """Whether this is the plan that was written last."""
    try:
        return paths.PLAN.read_text(encoding="utf-8") == _text(plan)
    except (OSError, ValueError):
        return False


def read(path: Path = paths.PLAN) -> Plan:
    """Read the plan of the last run; raises UserError when there is none, or a damaged one."""
    if not path.exists():
        raise UserError(f"{path}: there is no plan yet", "make one with: ./spindlemark run")
    return read_any_format(Plan, "plan", path, MOVE_IT)[0]


def read_or_none() -> Plan | None:
    """The plan of the last run, or None where there was none."""
    return read(paths.PLAN) if paths.PLAN.exists() else None


def found(registry: config.Registry) -> Plan:
    """The experiments that can be published without measuring: the plan of the last run, or else everything in data/raw/,
    and the plans of other hosts.
    """
    last, others = read_or_none() or everything(registry), _of_hosts(registry, paths.ROOT)
    known = {each.testbed for each in others}
    return last.model_copy(update={"experiments": [e for e in last.experiments if e.testbed not in known] + others})


def everything(registry: config.Registry) -> Plan:
    """Everything in data/raw/, with the profile of the last plan; of several identities of an experiment, the newest.

    It lacks no repetition, whatever the profiles declare.
    """
    newest: dict[Path, Path] = {}
    for spec in sorted(paths.RAW.glob("*/*/*/*/spec.json"), key=_last_measured):
        if _last_measured(spec):
            newest[spec.parents[1]] = spec
    last = read_or_none()
    name = last.profile if last else registry.config.profile
    profile = config.choose(registry.profiles, name, "profile", "config/profiles/")
    specs = [read_spec(spec) for spec in newest.values()]
    kinds = {name: testbed.kind for name, testbed in registry.testbeds.items()}
    planned = [
        _planned(spec, AS_DECLARED, config.Amount(), kinds.get(spec.experiment.testbed, "loop")) for spec in specs
    ]
    return Plan(profile=name, seed=registry.config.seed, stability=profile.stability, experiments=planned)


def write_everything(registry: config.Registry) -> None:
    """Write the plan of everything as the last plan, which holds until the next run."""
    write_if_changed(paths.PLAN, _text(everything(registry)))


def _of_hosts(registry: config.Registry, root: Path) -> list[Planned]:
    """The experiments of other hosts' testbeds when their plans were copied last; they are not measured here."""
    files = [hosts.PLANS / f"{name}.json" for names in hosts.others(registry).values() for name in names]
    return [each for file in files if file.exists() for each in read(file).experiments if (root / each.spec).exists()]


def write_if_changed(path: Path, text: str) -> None:
    """Write a file only when its content differs, so that its time stamp shows a change."""
    if not path.exists() or safe_read.read(path, MOST_BYTES, MOVE_IT) != text.encode():
        atomic_write.write(path, text)


def _amounts(profile: config.Profile, specs: list[Spec]) -> dict[tuple[str, str], config.Amount]:
    """Testbed and family -> how much the profile measures of it there, in general."""
    return {key: profile.on(key[0]).amount(key[1]) for key in {_amount_key(spec) for spec in specs}}


def _amount_key(spec: Spec) -> tuple[str, str]:
    return spec.experiment.testbed, spec.experiment.family


def _wanted(amount: config.Amount, request: Request, measured: bool) -> config.Amount:
    """How much is wanted of a family: nothing if it is measured only on request and nothing of it is `measured`."""
    waits = (
        amount.alone_minutes is not None and not measured and not (request.family or request.testbed or request.only)
    )
    return amount.model_copy(update={"repetitions": 0}) if waits else amount


def _measured_families(specs: list[Spec], root: Path) -> set[str]:
    """The families of which something is measured; the files of the others' specs need not be looked for."""
    found: set[str] = set()
    for spec in specs:
        if spec.experiment.family not in found and _is_measured(spec, root):
            found.add(spec.experiment.family)
    return found


def _is_measured(spec: Spec, root: Path) -> bool:
    return any((root / paths.spec_path(*_place(spec))).parent.glob("rep-*.json"))


def _planned(
    spec: Spec,
    request: Request | None,
    amount: config.Amount,
    kind: str,
    controls: Sequence[list[str]] = (),
    part: parts.Part | None = None,
) -> Planned:
    """Plan an experiment; one that this run does not choose, or whose `request` is None, stays in the plan as declared."""
    e = spec.experiment
    chosen = request is not None and chooses(request, e, amount, part)
    repetitions = (request.repetitions if request and chosen else None) or amount.repetitions or 0
    path = paths.spec_path(*_place(spec))
    return Planned(
        experiment=e.experiment,
        workload=join_parts(e.workload),
        family=e.family,
        testbed=e.testbed,
        kind=kind,
        identity=spec.identity,
        spec=str(path),
        chosen=chosen,
        repetitions=repetitions,
        rounds=part.rounds[parts.key(e)] if part and chosen else [],
        controls=list(controls),
        records=[str(paths.record_path(path, n)) for n in range(1, repetitions + 1)],
    )


def _continued(specs: list[Spec], root: Path) -> list[Spec]:
    """The specs, without the machine for a testbed whose results are older than that part of the identity.

    This applies to all specs of such a testbed, since compared experiments need the same kind of identity.
    """
    older = {
        spec.experiment.testbed
        for spec in specs
        if _has_other_identity(spec, root) and _is_measured(_without_host(spec), root)
    }
    return [_without_host(spec) if spec.experiment.testbed in older else spec for spec in specs]


def _has_other_identity(spec: Spec, root: Path) -> bool:
    """Whether the experiment's folder has more than this identity; to compute another one is slow for thousands."""
    try:
        return any(name != spec.identity for name in os.listdir((root / paths.spec_path(*_place(spec))).parents[1]))
    except OSError:
        return False


def _without_host(spec: Spec) -> Spec:
    fingerprint = migrations.without_host(spec.experiment.fingerprint)
    experiment = spec.experiment.model_copy(update={"fingerprint": fingerprint})
    return Spec(identity=experiment.identity(), experiment=experiment)


def _place(spec: Spec) -> tuple[str, str, str, str]:
    e = spec.experiment
    return e.testbed, e.family, e.experiment, spec.identity


def _last_measured(spec: Path) -> int:
    """Time of the newest result of a spec, 0 without one."""
    return max((record.stat().st_mtime_ns for record in spec.parent.glob("rep-*.json")), default=0)


def _text(model: Closed) -> str:
    return model.model_dump_json(indent=1) + "\n"
