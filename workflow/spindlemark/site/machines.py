"""Machines: a page each, and whether the answers of one hold on the others. What bundles say is foreign text."""

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
from spindlemark.site import evidence
from spindlemark.site.context import Context
from spindlemark.site.sources import Sources

Page = dict[str, Any]
SECTION = "machine/"
NOTHING: Page = {"machines": [], "elsewhere": [], "alone": 0, "facets": []}


def build(sources: Sources, context: Context, static: Path) -> Page:
    """The machines' pages; bundles are put below `static` to be downloaded. Nothing for a version of one machine.

    Raises UserError for a bundle that is not there.
    """
    if sources.joined is None:
        return NOTHING
    joined = replication_model.read(sources.joined)
    if len(joined.machines) < 2:
        return NOTHING
    for bundle in (each for machine in joined.machines for each in machine.bundles):
        _offer(sources.bundles / bundle.file, static / SECTION / bundle.file)
    machines = {each.id: each for each in joined.machines}
    asked = [_asked(each, machines, _own(joined, each, context)) for each in joined.elsewhere]
    every = {(t.family, t.question, t.library, t.where) for machine in joined.machines for t in machine.told}
    return {
        "machines": [_machine(each, context) for each in joined.machines],
        "elsewhere": asked,
        "alone": len(every) - len(asked),
        "facets": _facets(asked),
    }


def by_page(machines: Page) -> dict[str, list[Page]]:
    """Page of a group of the version -> what all machines say about its question."""
    found: dict[str, list[Page]] = {}
    for asked in machines["elsewhere"]:
        for path in asked["paths"]:
            found.setdefault(path, []).append({key: asked[key] for key in ("device", "statement", "anchor")})
    return found


def _offer(bundle: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(bundle, target)
    except FileNotFoundError:
        raise UserError(f"{bundle}: no such file", "put it back; what it says is on the site") from None


def _path(machine: KnownMachine) -> str:
    return f"{SECTION}{machine.slug}/"


def _own(joined: Replications, asked: Replication, context: Context) -> list[str]:
    """Pages of the version's own groups that ask the same."""
    key = (asked.family, asked.question, asked.library, asked.where)
    return [
        context.groups[told.group]
        for machine in joined.machines
        for told in machine.told
        if told.file is None and (told.family, told.question, told.library, told.where) == key
    ]


def _title(asked: Replication | SessionAnswer) -> str:
    """Family and workload; the words of the question where it is not what its pages are about anyway."""
    main = (
        next(iter(question_list.declared()[asked.family].questions), "")
        if asked.family in question_list.declared()
        else ""
    )
    words = [] if asked.question in ("", main) else [question_list.words(asked.family, asked.question)]
    return ": ".join([question_list.title(asked.family), *words, *filter(None, [asked.workload])])


def _asked(asked: Replication, machines: dict[str, KnownMachine], paths: list[str]) -> Page:
    return {
        "title": _title(asked),
        "device": asked.where,
        "statement": asked.statement,
        "paths": paths,
        "anchor": evidence.anchor(f"{asked.family}-{asked.library}-{asked.where}"),
        "rows": [_row(answer, machines[answer.machine]) for answer in asked.answers],
    }


def _row(answer: Answer, machine: KnownMachine) -> Page:
    told = f"{answer.decided} of {count(answer.sessions, 'session')} decided" if answer.sessions > 1 else ""
    return {
        "machine": machine.name,
        "path": _path(machine),
        "own": machine.own,
        "processor": machine.machine.cpu,
        "kernels": answer.kernels,
        "verdict": answer.verdict,
        "first": answer.first,
        "ranked": answer.ranked,
        "sessions": told,
    }


def _facets(asked: list[Page]) -> list[Page]:
    rows = [row for each in asked for row in each["rows"]]
    return [
        {"key": "processor", "title": "Processor", "values": sorted({row["processor"] for row in rows})},
        {"key": "kernel", "title": "Kernel", "values": sorted({k for row in rows for k in row["kernels"]})},
        {"key": "device", "title": "Device", "values": sorted({each["device"] for each in asked})},
    ]


def _machine(machine: KnownMachine, context: Context) -> Page:
    facts = [
        ("Processor", machine.machine.cpu),
        ("CPUs", str(machine.machine.cpus)),
        ("Machine (a hash that names nobody)", machine.machine.host or "not noted yet"),
        ("Kernels", ", ".join(machine.kernels)),
        ("Devices", ", ".join(machine.devices)),
        ("Sessions", ", ".join(machine.sessions) or "from before they were noted"),
    ]
    return {
        "path": _path(machine),
        "name": machine.name,
        "own": machine.own,
        "facts": [{"label": label, "value": value} for label, value in facts],
        "bundles": [_bundle(each) for each in machine.bundles],
        "told": [_told(each, context) for each in machine.told],
        "decided": sum(each.verdict != "undecided" for each in machine.told),
        "asked": len(machine.told),
    }


def _bundle(bundle: AnalysedContribution) -> Page:
    first, last = bundle.first.isoformat(), bundle.last.isoformat()
    return {
        "path": f"{SECTION}{bundle.file}",
        "file": bundle.file,
        "sha256": bundle.sha256,
        "size": number(bundle.bytes, "B"),
        "days": first if first == last else f"{first} to {last}",
        "records": f"{count(bundle.records, 'repetition')}, {bundle.succeeded} of which succeeded",
        "commits": [commit[:12] for commit in bundle.commits],
    }


def _told(told: SessionAnswer, context: Context) -> Page:
    subjects = list(dict.fromkeys([*told.ranked, *(c.subject for t in told.tasks for c in t.cells)]))
    cells = [{c.subject: c for c in task.cells} for task in told.tasks]
    return {
        "title": _title(told),
        "device": told.where,
        "testbed": told.testbed,
        "session": told.session,
        "kernel": told.kernel,
        "verdict": told.verdict,
        "first": told.first,
        "statement": told.statement,
        "reasons": told.reasons,
        "page": context.groups.get(told.group) if told.file is None else None,
        "columns": [task.title for task in told.tasks],
        "rows": [
            {"subject": s, "cells": [_cell(own.get(s), task) for own, task in zip(cells, told.tasks, strict=True)]}
            for s in subjects
        ]
        if told.tasks
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
