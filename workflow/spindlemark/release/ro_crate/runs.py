"""The actions of a Workflow Run RO-Crate, one per session and one per repetition."""

import shlex
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from spindlemark.core import migrations
from spindlemark.core.record import Record, Scalar

Entity = dict[str, Any]
PROGRAM = "#spindlemark"
PROFILE, CONFIG = "#parameter/profile", "#parameter/config"
VARYING = (
    "after.",
    "before.",
    "run.",
    "session.day",
)  # facts of an environment that vary or are reported in other places


class Shared(NamedTuple):
    """Facts that all sessions share: profile, declarations, agents and program."""

    profile: str
    config: str  # path in the crate
    agents: list[Entity]
    workflow: str | None  # path in the crate; None if the release has no code
    repository: str | None


class Run(NamedTuple):
    """A record with its path in the crate and that of its spec."""

    record: Record
    path: str
    spec: str


def entities(runs: list[Run], shared: Shared) -> Iterator[Entity]:
    """Yield each action with the entities that only it uses; the root mentions those of type CreateAction."""
    sessions: dict[str, list[Run]] = {}
    for run in runs:
        sessions.setdefault(migrations.session(run.record.environment), []).append(run)
    for name, own in sorted(sessions.items()):
        yield from _session(name, own, shared)
    for commit in sorted({_commit(run.record) for run in runs}):
        yield {
            "@id": _program(commit),
            "@type": "SoftwareApplication",
            "name": "Spindlemark",
            "softwareVersion": commit or "unknown",
            "url": shared.repository,
            "description": "formats, runs and reads what one repetition asks for, and records it",
        }
    for run in runs:
        yield _repetition(run, shared)


def _session(name: str, runs: list[Run], shared: Shared) -> Iterator[Entity]:
    facts = _shared(run.record.environment for run in runs)
    where = f"#session/{name or 'only'}"
    yield {
        "@id": where,
        "@type": "CreateAction",
        "name": f"Session {name}".strip(),
        "description": f"./spindlemark run, profile {shared.profile}",
        "instrument": {"@id": shared.workflow or _program(_commit(runs[-1].record))},
        "agent": shared.agents,
        "startTime": _moment(min(run.record.started_at for run in runs)),
        "endTime": _moment(max(run.record.finished_at for run in runs)),
        "actionStatus": "http://schema.org/CompletedActionStatus",
        "object": [{"@id": f"{PROFILE}/value"}, {"@id": shared.config}],
        "result": [{"@id": run.path} for run in runs],
        "environment": [{"@id": f"{where}/{fact}"} for fact in facts],
    }
    for fact, value in facts.items():
        yield {"@id": f"{where}/{fact}", "@type": "PropertyValue", "name": fact, "value": value}


def _repetition(run: Run, shared: Shared) -> Entity:
    record, e = run.record, run.record.experiment
    commands = "\n".join(shlex.join(command.argv) for command in record.commands)
    failed = {"error": f"{record.status}: {record.reason or 'no reason given'}"} if record.status != "ok" else {}
    return {
        "@id": f"#repetition/{e.testbed}/{e.family}/{e.experiment}/{record.identity}/{record.repetition}",
        "@type": "CreateAction",
        "name": f"{e.experiment} on {e.testbed}, {e.family}, repetition {record.repetition}",
        "description": f"Commands as they were run:\n{commands}" if commands else "No command was run.",
        "instrument": {"@id": _program(_commit(record))},
        "agent": shared.agents,
        "startTime": _moment(record.started_at),
        "endTime": _moment(record.finished_at),
        "actionStatus": f"http://schema.org/{'Failed' if failed else 'Completed'}ActionStatus",
        **failed,
        "object": {"@id": run.spec},
        "result": {"@id": run.path},
    }


def _shared(environments: Iterable[dict[str, Scalar]]) -> dict[str, Scalar]:
    """Return the facts that all repetitions of a session share."""
    common = dict.items({}) if not (every := list(environments)) else set.intersection(*(set(e.items()) for e in every))
    return {name: value for name, value in sorted(common) if value is not None and not name.startswith(VARYING)}


def _program(commit: str) -> str:
    return f"{PROGRAM}-{commit[:12] or 'unknown'}"


def _commit(record: Record) -> str:
    return str(record.environment.get("project.commit") or "")


def _moment(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="milliseconds")
