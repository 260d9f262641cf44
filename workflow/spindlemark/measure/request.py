"""The request of a run: which of the declared experiments it measures, in addition to what `config/` says."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.limits import MOST_REPETITIONS, MOST_SEED, shown
from spindlemark.core.record import Experiment
from spindlemark.measure import experiments, parts
from spindlemark.testbeds import hosts

TEXTS = ("profile", "testbed", "family", "only", "part")
_RUN = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True)
class Request:
    """Requests of the caller in addition to `config/`: None means as declared."""

    profile: str | None = None
    testbed: str | None = None
    repetitions: int | None = None
    family: str | None = None
    only: str | None = None
    seed: int | None = None
    part: str | None = None


AS_DECLARED = Request()


def request_of(settings: Mapping[str, Any]) -> Request:
    """The request in `snakemake --config` settings; raises UserError for an unknown one or one of another type."""
    known = {*TEXTS, "repetitions", "seed", "measure", "run"}
    for key in settings:
        if key not in known:
            raise UserError(f"--config: unknown key {key}", f"there are: {', '.join(sorted(known))}")
    for key in TEXTS:
        if not isinstance(settings.get(key), str | None):
            raise UserError(
                f"--config: {key}: {settings[key]!r} is not text",
                f"""write it into a file, such as `{key}: "007"`, and name that with --configfile""",
            )
    if settings.get("run") is not None and not _RUN.fullmatch(str(settings["run"])):
        raise UserError(
            f"--config: run: {settings['run']!r} is not a valid name of a run", "use letters, digits and hyphens"
        )
    repetitions = settings.get("repetitions")
    if repetitions is not None and (not isinstance(repetitions, int) or repetitions < 1):
        raise UserError(f"--config: repetitions: {repetitions!r} is not a number above 0", "write it as repetitions=3")
    seed = settings.get("seed")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool) or seed not in range(MOST_SEED + 1)):
        raise UserError(f"--config: seed: {seed!r} is not a number from 0 to {MOST_SEED}", "write it as seed=1")
    return Request(**{key: settings.get(key) for key in TEXTS}, repetitions=repetitions, seed=seed)


def testbeds(registry: config.Registry, request: Request) -> set[str]:
    """The testbeds of the experiments that `make` would choose, known without any tool, network or device.

    Raises UserError for a request that `make` refuses.
    """
    registry, profile_name, profile = checked(registry, request)
    specs = experiments.specs(registry, profile_name, request.testbed, read_machine=False)
    part = chosen_part(registry, profile_name, request, [spec.experiment for spec in specs])
    chosen = {
        spec.experiment.testbed
        for spec in specs
        if chooses(request, spec.experiment, experiments.amount(profile, spec.experiment), part)
    }
    if not chosen:
        raise nothing(request, profile_name)
    return chosen


def checked(registry: config.Registry, request: Request) -> tuple[config.Registry, str, config.Profile]:
    """The registry with the seed of the request, and the profile's name and content; raises UserError for a wrong request."""
    if request.repetitions is not None and request.repetitions not in range(1, MOST_REPETITIONS + 1):
        raise UserError(
            f"repetitions: {shown(request.repetitions)} is not a number from 1 to {MOST_REPETITIONS}", "choose one"
        )
    if request.part is not None:
        others = [key for key in ("testbed", "family", "only", "repetitions") if getattr(request, key) is not None]
        if others:
            raise UserError(f"part: {shown(request.part)} cannot be combined with {others[0]}", "leave one of them out")
    if request.seed is not None:
        registry = registry.model_copy(update={"config": registry.config.model_copy(update={"seed": request.seed})})
    profile_name = request.profile or registry.config.profile
    profile = config.choose(registry.profiles, profile_name, "profile", "config/profiles/")
    testbed = registry.config.testbed if request.testbed is None else request.testbed
    hosts.require_here(testbed, config.choose(registry.testbeds, testbed, "testbed", "config/testbeds/"))
    if request.family:
        config.choose(registry.experiments, request.family, "family", "config/experiments/")
    return registry, profile_name, profile


def chosen_part(
    registry: config.Registry, profile: str, request: Request, declared: Iterable[Experiment]
) -> parts.Part | None:
    """The requested part of the profile, None for a request of no part; raises UserError that lists the names."""
    return None if request.part is None else parts.choose(registry, profile, declared, request.part)


def chooses(request: Request, experiment: Experiment, amount: config.Amount, part: parts.Part | None = None) -> bool:
    """Whether the run measures the experiment; `part` is the requested one."""
    if part is not None and not part.has(experiment):
        return False
    waits = amount.alone_minutes is not None and not (request.family or request.testbed or request.only)
    return request.family in (None, experiment.family) and (request.only or "") in experiment.experiment and not waits


def nothing(request: Request, profile: str) -> UserError:
    """The error for a plan that chooses no experiment."""
    of = f" of family {request.family}" if request.family else ""
    at = f" on testbed {request.testbed}" if request.testbed else ""
    why = f"no experiment has {request.only} in its name" if request.only else ""
    return UserError(why or f"profile {profile} measures nothing{of}{at}", "see what there is with: ./spindlemark plan")
