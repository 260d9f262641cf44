"""Pages of machines, and replication of answers between them. All text of contributions is foreign."""

import shutil
from pathlib import Path
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.format import count, interval, number
from spindlemark.core import declared
from spindlemark.core.errors import UserError
from spindlemark.release.contributions import replication_model
from spindlemark.release.contributions.replication_model import (
    AnalysedContribution,
    Answer,
    Cell,
    KnownMachine,
    Replication,
    Replications,
    SessionAnswer,
    TaskFigures,
)
from spindlemark.site import evidence, session_labels
from spindlemark.site.context import Context
from spindlemark.site.sources import Sources

Page = dict[str, Any]
SECTION = "machine/"
CONTRIBUTIONS = "contributions"  # folder of a site; their names have the hash of their content, so versions share them
NOTHING: Page = {"machines": [], "elsewhere": [], "alone": 0, "facets": []}


def build(sources: Sources, context: Context, static: Path) -> Page:
    """Build the machines' pages and copy contributions below `static`; empty pages for a version of one machine.

    Raises UserError for a missing contribution.
    """
    if sources.joined is None:
        return NOTHING
    joined = replication_model.read(sources.joined)
    if len(joined.machines) < 2:
        return NOTHING
    for bundle in (each for machine in joined.machines for each in machine.contributions):
        _offer(sources.bundles / bundle.file, static / CONTRIBUTIONS / bundle.file)
    machines = {each.id: each for each in joined.machines}
    replications = [_replication(each, machines, _own(joined, each, context)) for each in joined.replications]
    every = {(t.family, t.question, t.library, t.where) for machine in joined.machines for t in machine.answers}
    return {
        "machines": [_machine(each, context) for each in joined.machines],
        "elsewhere": replications,
        "alone": len(every) - len(replications),
        "facets": _facets(replications),
    }


def by_page(machines: Page) -> dict[str, list[Page]]:
    """Page of a group of the version -> conclusions of all machines on its question."""
    found: dict[str, list[Page]] = {}
    for replication in machines["elsewhere"]:
        for path in replication["paths"]:
            found.setdefault(path, []).append({key: replication[key] for key in ("device", "statement", "anchor")})
    return found


def _offer(bundle: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(bundle, target)
    except FileNotFoundError:
        raise UserError(f"{bundle}: no such file", "restore the file, because the site shows its results") from None


def _path(machine: KnownMachine) -> str:
    return f"{SECTION}{machine.slug}/"


def _own(joined: Replications, replication: Replication, context: Context) -> list[str]:
    """Pages of the version's own groups with the same question."""
    key = (replication.family, replication.question, replication.library, replication.where)
    return [
        context.groups[answer.group]
        for machine in joined.machines
        for answer in machine.answers
        if answer.file is None and (answer.family, answer.question, answer.library, answer.where) == key
    ]


def _title(of: Replication | SessionAnswer) -> str:
    """Family and workload, and the question if it is not the family's main one."""
    known = question_list.declared().get(of.family)
    main = next(iter(known.questions), "") if known else ""
    words = [] if of.question in ("", main) else [question_list.words(of.family, of.question)]
    return ": ".join([question_list.title(of.family), *words, *filter(None, [of.workload])])


def _replication(found: Replication, machines: dict[str, KnownMachine], paths: list[str]) -> Page:
    return {
        "title": _title(found),
        "device": found.where,
        "statement": found.statement,
        "paths": paths,
        "anchor": evidence.fragment(f"{found.family}-{found.library}-{found.where}"),
        "rows": [_row(answer, machines[answer.machine]) for answer in found.answers],
    }


def _row(answer: Answer, machine: KnownMachine) -> Page:
    sessions = f"{answer.decided} of {count(answer.sessions, 'session')} conclusive" if answer.sessions > 1 else ""
    return {
        "machine": machine.name,
        "path": _path(machine),
        "own": machine.own,
        "processor": machine.machine.cpu,
        "kernels": answer.kernels,
        "verdict": answer.verdict,
        "first": answer.first,
        "ranked": answer.ranked,
        "sessions": sessions,
    }


def _facets(replications: list[Page]) -> list[Page]:
    rows = [row for each in replications for row in each["rows"]]
    return [
        {"key": "processor", "title": "Processor", "values": sorted({row["processor"] for row in rows})},
        {"key": "kernel", "title": "Kernel", "values": sorted({k for row in rows for k in row["kernels"]})},
        {"key": "device", "title": "Device", "values": sorted({each["device"] for each in replications})},
    ]


def _machine(machine: KnownMachine, context: Context) -> Page:
    facts = [
        ("Processor", machine.machine.cpu),
        ("CPUs", str(machine.machine.cpus)),
        ("Machine ID (anonymous)", machine.machine.host or "not recorded"),
        ("Kernels", ", ".join(machine.kernels)),
        ("Devices", ", ".join(machine.devices)),
        ("Sessions", ", ".join(_days(machine).values()) or "not recorded"),
    ]
    return {
        "path": _path(machine),
        "name": machine.name,
        "own": machine.own,
        "facts": [{"label": label, "value": value} for label, value in facts],
        "bundles": [_bundle(each) for each in machine.contributions],
        "told": [_answer(each, _days(machine), context) for each in machine.answers],
        "decided": sum(each.verdict != "undecided" for each in machine.answers),
        "asked": len(machine.answers),
    }


def _bundle(bundle: AnalysedContribution) -> Page:
    first, last = bundle.first.isoformat(), bundle.last.isoformat()
    return {
        "path": f"{CONTRIBUTIONS}/{bundle.file}",
        "file": bundle.file,
        "sha256": bundle.sha256,
        "size": number(bundle.bytes, "B"),
        "days": first if first == last else f"{first} to {last}",
        "records": f"{count(bundle.records, 'repetition')}, {bundle.succeeded} of them successful",
        "commits": [commit[:12] for commit in bundle.commits],
    }


def _days(machine: KnownMachine) -> dict[str, str]:
    return {name: name for name in machine.sessions} | session_labels.titles(machine.sessions)


def _answer(answer: SessionAnswer, days: dict[str, str], context: Context) -> Page:
    names = list(dict.fromkeys([*answer.ranked, *(c.configuration for t in answer.tasks for c in t.cells)]))
    cells = [{c.configuration: c for c in task.cells} for task in answer.tasks]
    return {
        "title": _title(answer),
        "device": answer.where,
        "testbed": answer.testbed,
        "session": days.get(answer.session, answer.session),
        "kernel": answer.kernel,
        "verdict": answer.verdict,
        "first": answer.first,
        "statement": answer.statement,
        "reasons": answer.reasons,
        "page": context.groups.get(answer.group) if answer.file is None else None,
        "columns": [task.title for task in answer.tasks],
        "rows": [
            {"subject": s, "cells": [_cell(own.get(s), task) for own, task in zip(cells, answer.tasks, strict=True)]}
            for s in names
        ]
        if answer.tasks
        else [],
    }


def _cell(cell: Cell | None, task: TaskFigures) -> Page | None:
    if cell is None:
        return None
    return {
        "median": number(cell.median, task.unit, declared.kind(task.metric)),
        "n": cell.n,
        "tier": cell.tier,
        "interval": interval(cell.low, cell.high, cell.median, task.unit, declared.kind(task.metric)),
    }
