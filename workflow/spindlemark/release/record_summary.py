"""Summary of a set of records: what was measured, on which machines, and when."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

from spindlemark.analysis.findings.text import family, listed
from spindlemark.config import questions
from spindlemark.core import declared, factors
from spindlemark.core.record import NOISE, Experiment, Record
from spindlemark.release import environment_text
from spindlemark.release.citation.citation_model import Measured, Variable


def summarise(records: list[Record], profiles: Mapping[str, list[str]]) -> Measured:
    """Summarise `records`, which must not be empty; their order does not matter. `profiles`: profile -> families."""
    experiments = {record.identity: record.experiment for record in records}
    days = [moment.astimezone(UTC).date() for record in records for moment in (record.started_at, record.finished_at)]
    summary = {
        "profile": next(iter(profiles)),
        "profiles": dict(profiles) if len(profiles) > 1 else {},
        "testbeds": sorted({e.testbed for e in experiments.values()}),
        "families": {
            name: max(e.method for e in experiments.values() if e.family == name)
            for name in sorted({e.family for e in experiments.values()})
        },
        "configurations": sorted({e.configuration.name for e in experiments.values()}),
        "libraries": sorted({name for e in experiments.values() if (name := _library(e))}),
        "experiments": len(experiments),
        "repetitions": len(records),
        "statuses": dict(sorted(Counter(record.status for record in records).items())),
        "commits": sorted({_commit(record) for record in records} - {""}),
        "measurements": sum(len(record.measurements) for record in records),
    }
    return Measured(
        **summary,
        first=min(days),
        last=max(days),
        statement=_statement(records, summary),
        variables=_variables(records),
    )


def _library(experiment: Experiment) -> str | None:
    """The name of the media library; None for an experiment without one."""
    factor = declared.names(experiment.family).get("library")
    return factors.value(experiment.factors, factor) if factor else None


def _statement(records: list[Record], summary: dict[str, Any]) -> str:
    """Describe the measurements and machines in sentences that are true of every record."""
    succeeded, noisy = summary["statuses"].get("ok", 0), sum(_is_noisy(record) for record in records)
    outcome = "all of which succeeded" if succeeded == len(records) else f"{succeeded} of which succeeded"
    return (
        f"{_families(summary['families'])}{_libraries(summary['libraries'])}: "
        f"{_plural(len(records), 'repetition', 'repetitions')} of "
        f"{_plural(summary['experiments'], 'experiment', 'experiments')} of {_profiles(summary)}, "
        f"{outcome}. "
        f"Measured on {environment_text.sentence(records)}. "
        f"{_plural(noisy, 'repetition', 'repetitions')} had a step that other work on the machine disturbed."
    )


def _profiles(summary: dict[str, Any]) -> str:
    several = list(summary["profiles"])
    return f"the profiles {listed(several)}" if several else f"the profile {summary['profile']}"


def _families(names: Iterable[str]) -> str:
    """List the measured families by title, in the order of config/questions/; unknown ones by name, last."""
    known = questions.load()
    titles = [family_questions.title for name, family_questions in known.items() if name in names] + [
        family(name) for name in names if name not in known
    ]
    return f"{_plural(len(titles), 'benchmark', 'benchmarks')} ({', '.join(titles)})"


def _libraries(names: list[str]) -> str:
    """List the media libraries; empty if there are none."""
    return f" with the {'library' if len(names) == 1 else 'libraries'} {listed(names)}" if names else ""


def _variables(records: list[Record]) -> list[Variable]:
    """List the measured metrics with their families' descriptions, in the families' order."""
    found = {(record.experiment.family, m.metric) for record in records for m in record.measurements}
    return [
        Variable(name=name, title=metric.title, unit=metric.unit, better=metric.better, description=metric.description)
        for family in sorted({family for family, _ in found} & set(declared.families()))
        for name, metric in declared.metrics(family).items()
        if (family, name) in found
    ]


def _commit(record: Record) -> str:
    commit, changed = (record.environment.get(f"project.{key}") for key in ("commit", "changed"))
    return f"{commit}{'+' if changed else ''}" if commit else ""


def _is_noisy(record: Record) -> bool:
    return any(gate.gate in NOISE and not gate.ok for gate in record.validity)


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
