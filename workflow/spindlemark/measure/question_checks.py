"""Check that declarations name existing things, and that questions use metrics and factors that exist."""

import difflib
from collections import defaultdict
from collections.abc import Iterable

from spindlemark import config
from spindlemark.config.questions import ACTION_PLACEHOLDER, BEST
from spindlemark.core.errors import UserError
from spindlemark.core.record import Experiment
from spindlemark.families import registry as families

# Every experiment has these; their parts depend on the machine.
ALWAYS = ("fingerprint", "method", "testbed")


def require_known(registry: config.Registry) -> None:
    """Raise UserError, naming file and key, for a family without a module and for unknown names in a profile."""
    known = dict.fromkeys(families.names())
    for family in registry.experiments:
        config.choose(known, family, "family", f"config/experiments/{family}.yaml")
    for name, profile in registry.profiles.items():
        where = f"config/profiles/{name}.yaml"
        parts = {f"{where}: testbeds.{bed}": part for bed, part in profile.testbeds.items()}
        for bed in profile.testbeds:
            config.choose(registry.testbeds, bed, "testbed", f"{where}: testbeds")
        amounts: dict[str, config.Profile | config.Part] = {where: profile, **parts}
        for at, part in amounts.items():
            for family in part.families:
                config.choose(known, family, "family", f"{at}: families")
            for library in part.libraries:
                config.choose(registry.libraries, library, "library", f"{at}: libraries")


def check(registry: config.Registry, experiments: Iterable[Experiment]) -> None:
    """Raise UserError, naming file and key, for questions that no result could answer.

    Factors of experiments of other profiles are known by their names in config/experiments/, shared factors and parts that only
    some experiments have by those that the family declares.
    """
    varied: dict[str, set[str]] = defaultdict(set)
    for experiment in experiments:
        varied[experiment.family] |= set(names(experiment.factors))
    for family, questions in registry.questions.items():
        where = f"config/questions/{family}.yaml"
        config.choose(dict.fromkeys(families.names()), family, "family", where)
        for task, declared in questions.tasks.items():
            config.choose(families.metrics(family), declared.metric, "metric", f"{where}: tasks.{task}.metric")
        for n, metric in enumerate(questions.secondary_metrics):
            config.choose(families.metrics(family), metric, "metric", f"{where}: `beside`, item {n + 1}")
        for key, action in questions.actions().items():
            for metric, _ in ACTION_PLACEHOLDER.findall(action):
                if metric != BEST:
                    config.choose(families.metrics(family), metric, "metric", f"{where}: {key}")
        if family in varied:
            chosen = {name for each in registry.experiments[family].sets for name in each.factors}
            own = families.get(family)
            shared = {factor.name for factor in own.shared}
            _check_factors(questions, varied[family] | chosen | shared | set(own.sometimes), where)


def _check_factors(questions: config.Questions, known: set[str], where: str) -> None:
    for key, name in questions.factors().items():
        if name.split(".")[0] not in ALWAYS and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise UserError(
                f"{where}: {key}: no experiment of the family has the factor {name}",
                f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known))}",
            )


def names(factors: dict, prefix: str = "") -> Iterable[str]:
    """Yield each factor and its parts, such as filesystem and filesystem.mkfs."""
    for name, value in factors.items():
        yield prefix + name
        if isinstance(value, dict):
            yield from names(value, f"{prefix}{name}.")
