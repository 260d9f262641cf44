"""Does an answer hold elsewhere? Machine beside machine: their answers are counted, their samples never meet."""

from collections import defaultdict
from collections.abc import Sequence

from spindlemark.analysis.findings.emulation import emulated
from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.analysis.findings.text import listed
from spindlemark.analysis.format import number
from spindlemark.release.contributions.machine import Machine, of_facts
from spindlemark.release.contributions.replication_model import (
    Answer,
    Cell,
    Elsewhere,
    Heard,
    Held,
    Joined,
    Known,
    Tasked,
    Told,
)

_DEVICES = {
    "loop": "loop file",
    "ram": "memory",
    "block": "disk",
    "vm": "virtual machine",
    "link": "pair of virtual cards",
    "nic": "network cards",
    "processor": "processor alone",
}


def gather(own: Findings, heard: Sequence[Heard]) -> Joined:
    """The machines of a version, its own first, and every question that two of them or more were asked."""
    machines: dict[str, Machine] = {}
    told: dict[str, list[Told]] = defaultdict(list)
    for findings, bundle in [(own, None), *((each.findings, each) for each in heard)]:
        for group in findings.groups:
            machine = bundle.machine if bundle else of_facts(group.conditions)
            machines.setdefault(machine.id, machine)
            if group.recommendation and not _is_told(group, told[machine.id], bundle):
                told[machine.id].append(_told(group, machine, bundle))
    known = [_known(machine, told[key], own, heard) for key, machine in machines.items()]
    return Joined(
        machines=known,
        elsewhere=_elsewhere(
            [each for entry in known for each in entry.told], {key: m.name for key, m in machines.items()}
        ),
    )


def where(group: Group) -> str:
    """The kind of device in words. What is held to the figures of a data sheet is told by these."""
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


def _is_told(group: Group, already: Sequence[Told], bundle: Heard | None) -> bool:
    """Whether the same session is there already, as when a version's own results were packed and joined too."""
    return bundle is not None and any(
        (each.session, each.family, each.question, each.testbed, each.library)
        == (group.session, group.family, group.question, group.testbed, group.library)
        and each.file != bundle.file
        for each in already
    )


def _told(group: Group, machine: Machine, bundle: Heard | None) -> Told:
    advice = group.advice
    leading = advice.first
    return Told(
        machine=machine.id,
        file=bundle.file if bundle else None,
        group=group.group,
        family=group.family,
        question=group.question,
        library=group.library,
        workload=group.workload_title or group.library,
        where=where(group),
        testbed=group.testbed,
        session=group.session,
        kernel=str(group.conditions.get("kernel", "")),
        verdict=advice.verdict,
        first=[] if advice.verdict == "undecided" else leading,
        ranked=sorted(advice.scores, key=lambda subject: advice.scores[subject]),
        statement=advice.statements[0] if advice.statements else "",
        tasks=_tasks(group) if bundle else [],
        reasons=[f"{a.subject}: {a.status}, {a.reason}" for a in group.absent] if bundle else [],
    )


def _tasks(group: Group) -> list[Tasked]:
    tables = {table.metric: table for table in group.metrics}
    return [
        Tasked(
            title=task.title,
            metric=task.metric,
            unit=tables[task.metric].unit,
            cells=[
                Cell(subject=c.subject, tier=c.tier, median=c.median, low=c.low, high=c.high, n=c.n)
                for c in tables[task.metric].cells
            ],
        )
        for task in group.advice.tasks
        if task.counted and task.metric in tables
    ]


def _known(machine: Machine, told: Sequence[Told], own: Findings, heard: Sequence[Heard]) -> Known:
    mine = [
        each.model_copy(update={"findings": each.findings.model_copy(update={"groups": [], "contrasts": []})})
        for each in heard
        if each.machine.id == machine.id
    ]
    return Known(
        id=machine.id,
        slug=machine.slug,
        name=machine.name,
        machine=machine,
        own=any(of_facts(group.conditions).id == machine.id for group in own.groups),
        kernels=sorted({each.kernel for each in told if each.kernel}),
        devices=sorted({each.where for each in told}),
        sessions=sorted({each.session for each in told if each.session}),
        bundles=mine,
        told=list(told),
    )


def _elsewhere(told: Sequence[Told], names: dict[str, str]) -> list[Elsewhere]:
    asked: dict[tuple[str, ...], list[Told]] = defaultdict(list)
    for each in told:
        asked[each.family, each.question, each.library, each.where].append(each)
    return [_asked(found, names) for found in asked.values() if len({each.machine for each in found}) > 1]


def _asked(found: Sequence[Told], names: dict[str, str]) -> Elsewhere:
    by_machine: dict[str, list[Told]] = defaultdict(list)
    for each in found:
        by_machine[each.machine].append(each)
    answers = [_answer(machine, own) for machine, own in by_machine.items()]
    held = _held(answers)
    first = found[0]
    return Elsewhere(
        family=first.family,
        question=first.question,
        library=first.library,
        workload=first.workload,
        where=first.where,
        answers=answers,
        held=held,
        statement=_statement(answers, held, names),
    )


def _answer(machine: str, told: Sequence[Told]) -> Answer:
    """One answer of several sessions: what leads in all that decided."""
    decided = [each for each in told if each.verdict != "undecided"]
    common = [s for s in decided[0].first if all(s in each.first for each in decided)] if decided else []
    verdict = (
        "undecided"
        if not decided
        else "sessions differ"
        if not common
        else "better"
        if all(each.verdict == "better" for each in decided)
        else "equivalent"
    )
    ranked = list(dict.fromkeys(subject for each in told for subject in each.ranked))
    return Answer(
        machine=machine,
        verdict=verdict,
        first=common,
        ranked=ranked,
        sessions=len({each.session for each in told}),
        decided=len(decided),
        kernels=sorted({each.kernel for each in told if each.kernel}),
    )


def _held(answers: Sequence[Answer]) -> list[Held]:
    """Every subject that leads somewhere; a machine that never measured it neither speaks for it nor against it."""
    decided = [each for each in answers if each.first]
    leading = dict.fromkeys(subject for each in decided for subject in each.first)
    held = [
        Held(
            subject=s, on=[a.machine for a in decided if s in a.first], of=[a.machine for a in decided if s in a.ranked]
        )
        for s in leading
    ]
    return sorted(held, key=lambda each: (-len(each.on), len(each.of) - len(each.on)))


def _statement(answers: Sequence[Answer], held: Sequence[Held], names: dict[str, str]) -> str:
    """Which subject leads on how many machines, and what the others say."""
    if not held:
        return f"None of the {len(answers)} machines decides it."
    best = held[0]
    alone = all(a.verdict == "better" for a in answers if a.machine in best.on)
    machines = "machine" if len(best.of) == 1 else "machines"
    parts = [
        f"{best.subject} {'leads' if alone else 'leads or shares the lead'} on {len(best.on)} of {len(best.of)} "
        f"{machines} that decided: {listed([names[m] for m in best.on])}"
    ]
    for answer in (each for each in answers if each.machine not in best.on):
        where = names[answer.machine]
        if not answer.first:
            parts.append(f"{answer.verdict} on {where}")
            continue
        leading = f"{listed(answer.first)} {'leads' if len(answer.first) == 1 else 'lead'}"
        unmeasured = "" if answer.machine in best.of else f", where {best.subject} was not measured"
        parts.append(f"{leading} on {where}{unmeasured}")
    return f"{'; '.join(parts)}."
