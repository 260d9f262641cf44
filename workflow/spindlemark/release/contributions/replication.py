"""Replication: compare the answers of machines by counting them. Their samples are never combined."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from spindlemark.analysis.findings.emulation import emulated
from spindlemark.analysis.findings.model import DIFFERENT, Findings, Group
from spindlemark.analysis.findings.text import listed
from spindlemark.analysis.format import number
from spindlemark.core.record import canonical
from spindlemark.release.contributions.machine import Machine, of_facts
from spindlemark.release.contributions.replication_model import (
    AnalysedContribution,
    Answer,
    Cell,
    KnownMachine,
    Leader,
    Replication,
    Replications,
    SessionAnswer,
    TaskFigures,
)

_DEVICES = {
    "loop": "loop file",
    "ram": "memory",
    "disk_model": "model of a hard disk",
    "block": "disk",
    "vm": "virtual machine",
    "link": "pair of virtual cards",
    "nic": "network cards",
    "processor": "processor alone",
}


def gather(own: Findings, contributions: Sequence[AnalysedContribution]) -> Replications:
    """Return the machines of a version, its own first, and each question that two or more of them answer."""
    machines: dict[str, Machine] = {}
    answers: dict[str, list[SessionAnswer]] = defaultdict(list)
    for findings, contribution in [(own, None), *((each.findings, each) for each in contributions)]:
        for group in findings.groups:
            machine = contribution.machine if contribution else of_facts(group.conditions)
            machines.setdefault(machine.id, machine)
            if group.recommendation and not _is_known(group, answers[machine.id], contribution):
                answers[machine.id].append(_session_answer(group, machine, contribution))
    known = [_known(machine, answers[key], own, contributions) for key, machine in machines.items()]
    return Replications(
        machines=known,
        replications=_replications(
            [each for entry in known for each in entry.answers], {key: m.name for key, m in machines.items()}
        ),
    )


def where(group: Group) -> str:
    """Return the kind of device in words. A reference device is named by the rates of its data sheet."""
    facts = group.conditions
    if emulated(facts):
        return "emulated virtual machine"
    kind = str(facts.get("device.kind"))
    words = _DEVICES.get(kind, kind)
    if model := facts.get("device.model"):
        return f"{words} {model}"
    if held := facts.get("device.throttle.read"):
        return f"{words} held to {number(float(held), 'B/s')}"
    return f"{words}, served from memory" if facts.get("device.storage.kind") == "ram" else words


def _is_known(group: Group, known: Sequence[SessionAnswer], contribution: AnalysedContribution | None) -> bool:
    """Whether the session is already listed, for example because a version's own results were also imported."""
    return contribution is not None and any(
        (each.session, each.family, each.question, each.testbed, each.library)
        == (group.session, group.family, group.question, group.testbed, group.library)
        and each.file != contribution.file
        for each in known
    )


def _session_answer(group: Group, machine: Machine, contribution: AnalysedContribution | None) -> SessionAnswer:
    advice = group.advice
    leading = advice.first
    return SessionAnswer(
        machine=machine.id,
        file=contribution.file if contribution else None,
        group=group.group,
        family=group.family,
        question=group.question,
        library=group.library,
        workload=group.workload_title or group.library,
        where=where(group),
        compared=_compared(group),
        testbed=group.testbed,
        session=group.session,
        kernel=str(group.conditions.get("kernel", "")),
        verdict=advice.verdict,
        first=[] if advice.verdict == "undecided" else leading,
        ranked=sorted(advice.scores, key=lambda name: advice.scores[name]),
        statement=advice.statements[0] if advice.statements else "",
        tasks=_tasks(group) if contribution else [],
        reasons=[f"{a.configuration}: {a.status}, {a.reason}" for a in group.absent] if contribution else [],
    )


def _compared(group: Group) -> str:
    """A hash of the method and of the number and sizes of the files, which two answers must have in common."""
    common = canonical({"method": group.conditions.get("method"), "workload": group.library_factors})
    return hashlib.sha256(common.encode()).hexdigest()[:12]


def _tasks(group: Group) -> list[TaskFigures]:
    tables = {table.metric: table for table in group.metrics}
    return [
        TaskFigures(
            title=task.title,
            metric=task.metric,
            unit=tables[task.metric].unit,
            cells=[
                Cell(configuration=c.configuration, tier=c.tier, median=c.median, low=c.low, high=c.high, n=c.n)
                for c in tables[task.metric].cells
            ],
        )
        for task in group.advice.tasks
        if task.counted and task.metric in tables
    ]


def _known(
    machine: Machine, answers: Sequence[SessionAnswer], own: Findings, contributions: Sequence[AnalysedContribution]
) -> KnownMachine:
    mine = [
        each.model_copy(update={"findings": each.findings.model_copy(update={"groups": [], "contrasts": []})})
        for each in contributions
        if each.machine.id == machine.id
    ]
    return KnownMachine(
        id=machine.id,
        slug=machine.slug,
        name=machine.name,
        machine=machine,
        own=any(of_facts(group.conditions).id == machine.id for group in own.groups),
        kernels=sorted({each.kernel for each in answers if each.kernel}),
        devices=sorted({each.where for each in answers}),
        sessions=sorted({each.session for each in answers if each.session}),
        contributions=mine,
        answers=list(answers),
    )


def _replications(answers: Sequence[SessionAnswer], names: dict[str, str]) -> list[Replication]:
    by_question: dict[tuple[str, ...], list[SessionAnswer]] = defaultdict(list)
    for each in answers:
        by_question[each.family, each.question, each.library, each.where, each.compared].append(each)
    return [_replication(found, names) for found in by_question.values() if len({each.machine for each in found}) > 1]


def _replication(found: Sequence[SessionAnswer], names: dict[str, str]) -> Replication:
    by_machine: dict[str, list[SessionAnswer]] = defaultdict(list)
    for each in found:
        by_machine[each.machine].append(each)
    answers = [_answer(machine, own) for machine, own in by_machine.items()]
    held = _leaders(answers)
    first = found[0]
    return Replication(
        family=first.family,
        question=first.question,
        library=first.library,
        workload=first.workload,
        where=first.where,
        answers=answers,
        held=held,
        statement=_statement(answers, held, names),
    )


def _answer(machine: str, sessions: Sequence[SessionAnswer]) -> Answer:
    """Combine sessions to one answer: the configurations that lead in each session that decided."""
    decided = [each for each in sessions if each.verdict != "undecided"]
    common = [s for s in decided[0].first if all(s in each.first for each in decided)] if decided else []
    verdict = (
        "undecided"
        if not decided
        else "sessions differ"
        if not common
        else "better"
        if all(each.verdict in DIFFERENT for each in decided)
        else "equivalent"
    )
    ranked = list(dict.fromkeys(name for each in sessions for name in each.ranked))
    return Answer(
        machine=machine,
        verdict=verdict,
        first=common,
        ranked=ranked,
        sessions=len({each.session for each in sessions}),
        decided=len(decided),
        kernels=sorted({each.kernel for each in sessions if each.kernel}),
    )


def _leaders(answers: Sequence[Answer]) -> list[Leader]:
    """List the configurations that lead on a machine. A machine without measurements of one counts neither for nor against it."""
    decided = [each for each in answers if each.first]
    leading = dict.fromkeys(name for each in decided for name in each.first)
    held = [
        Leader(
            configuration=s,
            on=[a.machine for a in decided if s in a.first],
            of=[a.machine for a in decided if s in a.ranked],
        )
        for s in leading
    ]
    return sorted(held, key=lambda each: (-len(each.on), len(each.of) - len(each.on)))


def _statement(answers: Sequence[Answer], held: Sequence[Leader], names: dict[str, str]) -> str:
    """Return a sentence: which configuration leads on how many machines, and the answers of the others."""
    if not held:
        return f"None of the {len(answers)} machines decides it."
    best = held[0]
    alone = all(a.verdict == "better" for a in answers if a.machine in best.on)
    machines = "machine" if len(best.of) == 1 else "machines"
    parts = [
        f"{best.configuration} {'leads' if alone else 'leads or shares the lead'} on {len(best.on)} of {len(best.of)} "
        f"{machines} that decided: {listed([names[m] for m in best.on])}"
    ]
    for answer in (each for each in answers if each.machine not in best.on):
        where = names[answer.machine]
        if not answer.first:
            parts.append(f"{answer.verdict} on {where}")
            continue
        leading = f"{listed(answer.first)} {'leads' if len(answer.first) == 1 else 'lead'}"
        unmeasured = "" if answer.machine in best.of else f", where {best.configuration} was not measured"
        parts.append(f"{leading} on {where}{unmeasured}")
    return f"{'; '.join(parts)}."
