"""Formats of earlier results: the only module that knows what earlier releases wrote.

A file says its format as a number (`record_format`, `findings_format`, `manifest_format`). One function takes a file's
content from one format to the next, and is registered with `step`; several functions may share one step. Everything
else in the program knows the newest format alone. A step computes nothing: it only renames, moves and fills in.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

Kind = Literal["record", "spec", "plan", "findings", "joined", "manifest"]
Content = dict[str, Any]
Upgrade = Callable[[Content], Content]
Model = TypeVar("Model", bound=BaseModel)

RECORD_FORMAT = 2
FINDINGS_FORMAT = 3
PLAN_FORMAT = 4
JOINED_FORMAT = 2
MANIFEST_FORMAT = 2
FORMATS: Mapping[Kind, tuple[str, int]] = {  # kind of file -> its key, and the newest format
    "record": ("record_format", RECORD_FORMAT),
    "spec": ("record_format", RECORD_FORMAT),
    "plan": ("plan_format", PLAN_FORMAT),
    "findings": ("findings_format", FINDINGS_FORMAT),
    "joined": ("joined_format", JOINED_FORMAT),
    "manifest": ("manifest_format", MANIFEST_FORMAT),
}
_STEPS: dict[tuple[Kind, int], list[Upgrade]] = {}


def step(kind: Kind, number: int) -> Callable[[Upgrade], Upgrade]:
    """Register a function that takes the content of a file of `kind` from format `number` to `number + 1`.

    Its docstring names the releases that wrote format `number`. Those of one step run in the order of this module.
    """

    def register(upgrade: Upgrade) -> Upgrade:
        _STEPS.setdefault((kind, number), []).append(upgrade)
        return upgrade

    return register


def to_newest(kind: Kind, text: bytes) -> bytes | None:
    """The text of a file in the newest format; None if it has that format already, or an unknown one.

    Raises ValueError if the content does not match its format.
    """
    key, newest = FORMATS[kind]
    content = json.loads(text)
    number = content.get(key) if isinstance(content, dict) else None
    if not isinstance(number, int) or number >= newest or (kind, number) not in _STEPS:
        return None
    try:
        for before in range(number, newest):
            for upgrade in _STEPS[kind, before]:
                content = upgrade(content)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"does not match format {number}: {error}") from None
    return json.dumps(content | {key: newest}, ensure_ascii=False).encode()


def read(model: type[Model], kind: Kind, text: bytes) -> tuple[Model, bytes]:
    """A file of any format as `model`, and its text in the newest format.

    Raises ValidationError for content that does not fit, ValueError for text that is not JSON or not of its format.
    """
    try:
        return model.model_validate_json(text), text  # the newest format is never held as objects of Python
    except ValidationError as error:
        if error.errors(include_url=False, include_context=False)[0]["type"] == "json_invalid":
            raise
        newest = to_newest(kind, text)
        if newest is None:
            raise
    return model.model_validate_json(newest), newest


# ---- facts that earlier records lack

SESSION = "session.id"


def session(environment: Mapping[str, Any]) -> str:
    """The session that a record names; empty in releases 2026.11 and 2026.11.1, which recorded none."""
    return str(environment.get(SESSION) or "")


def has_no_host(fingerprint: Mapping[str, Any]) -> bool:
    """Whether a fingerprint lacks the machine, as those of releases 2026.11 and 2026.11.1 do."""
    return "host" not in fingerprint


def without_host(fingerprint: Mapping[str, Any]) -> dict[str, Any]:
    """The fingerprint as releases 2026.11 and 2026.11.1 recorded it: the machine did not enter the identity."""
    return {key: value for key, value in fingerprint.items() if key != "host"}


# ---- names of experiments: written together until 2026.11.6, as ext4+m0@bfq--picture


@step("record", 1)
@step("spec", 1)
def _parts_of_names(old: Content) -> Content:
    """Releases 2026.11 to 2026.11.6: configuration and workload were in the name only."""
    experiment = old["experiment"]
    return old | {"experiment": name_fields(experiment["experiment"]) | experiment}


@step("plan", 2)
def _planned_workloads(old: Content) -> Content:
    """The program of releases 2026.11 to 2026.11.6: the same in plans."""
    planned = [{"workload": each["experiment"].partition("--")[2]} | each for each in old["experiments"]]
    return old | {"experiments": planned}


@step("plan", 3)
def _planned_controls(old: Content) -> Content:
    """The program after release 2026.11.6, until controls were named: they were `beside` an experiment."""
    planned = [
        {"controls" if key == "beside" else key: value for key, value in each.items()} for each in old["experiments"]
    ]
    return old | {"experiments": planned}


def name_fields(name: str) -> dict[str, Any]:
    """`configuration` and `workload` of a name that was written together."""
    configuration, *workload = (_part(part) for part in name.split("--"))
    return {"configuration": configuration, "workload": workload}


def _part(name: str) -> dict[str, str]:
    plain, _, under = name.partition("@")
    value, _, setting = plain.partition("+")
    return {"value": value, "setting": setting, "under": under}


# ---- findings


@step("findings", 1)
def _three_verdicts(old: Content) -> Content:
    """Releases 2026.11 and 2026.11.1: a difference was supported or not; settings and kernels had shapes of their own."""
    groups = old["groups"]
    contrasts = [each for group in groups for each in _gains(group, group.pop("gains", []))]
    contrasts += [each for change in old.pop("kernels", []) for each in _kernels(change)]
    for group in groups:
        for table in group["metrics"]:
            table["pairs"] = [_pair(pair) for pair in table["pairs"]]
            _judge_cells(table)
        if advice := group["recommendation"]:
            advice["verdict"] = _verdict(advice.pop("supported"))
            advice["first"] = [o["subject"] for o in advice["options"] if o["tier"] == 1]
        group["contenders"] = group["subjects"]
        if rate := group["conditions"].pop("rate.bytes_per_second", None):
            group["library_factors"]["bytes_per_second"] = rate
    return old | {"contrasts": contrasts}


def _verdict(supported: bool) -> str:
    return "better" if supported else "undecided"


def _pair(pair: Content) -> Content:
    return {**{k: v for k, v in pair.items() if k != "supported"}, "verdict": _verdict(pair["supported"])}


def _judge_cells(table: Content) -> None:
    """The verdict of the best against each other ranked cell: format 1 stores it with the pair only."""
    found = {frozenset((pair["better"], pair["worse"])): pair["verdict"] for pair in table["pairs"]}
    for cell in table["cells"][1:]:
        if cell["tier"] is not None:
            cell["verdict"] = found.get(frozenset((table["cells"][0]["subject"], cell["subject"])))


def _gains(group: Content, gains: list[Content]) -> list[Content]:
    """One entry per baseline, for a setting or a scheduler: format 1 did not separate the two."""
    found: dict[str, list[Content]] = {}
    for gain in gains:
        supported = gain.pop("supported")
        side = ("gain" if gain["ratio"] > 1 else "loss") if supported else "level"
        found.setdefault(gain["baseline"], []).append({**gain, "verdict": _verdict(supported), "side": side})
    workload = group.get("library", "")
    return [
        {
            "question": "setting",
            "title": "",
            "family": group["family"],
            "testbed": group["testbed"],
            "same": "--".join(part for part in (baseline, workload) if part),
            "library": workload,
            "workload_title": group.get("workload_title", ""),
            "group": group["group"],
            "baseline": baseline,
            "rows": rows,
            "statement": "",
        }
        for baseline, rows in found.items()
    ]


def _kernels(change: Content) -> list[Content]:
    """One entry per configuration, which compares the two kernels."""
    before, after = change["before"], change["after"]
    shared = {
        "question": "kernel",
        "title": "",
        "family": change["family"],
        "testbed": after["testbed"],
        "library": change["library"],
        "workload_title": change["title"],
        "group": after["group"],
        "emulated": change["emulated"],
        "baseline": before["kernel"],
        "sides": {before["kernel"]: before["testbed"], after["kernel"]: after["testbed"]},
        "statement": change["statement"],
    }
    found: dict[str, list[Content]] = {}
    for row in change["rows"]:
        found.setdefault(row["subject"], []).append(_kernel(row, before["kernel"], after["kernel"]))
    return [
        {**shared, "same": "--".join(part for part in (configuration, change["library"]) if part), "rows": rows}
        for configuration, rows in found.items()
    ]


def _kernel(row: Content, before: str, after: str) -> Content:
    """A row of format 1 has the ratio of values, after over before."""
    turned = row["better"] == "lower"
    ends = (row["high"], row["low"]) if turned else (row["low"], row["high"])
    ratio, low, high = ((1 / x if turned else x) for x in (row["ratio"], *ends))
    side = {"better": "gain", "worse": "loss", "changed": "changed", "level": "level"}[row["verdict"]]
    return {
        "subject": after,
        "baseline": before,
        "metric": row["metric"],
        "title": row["title"],
        "unit": row["unit"],
        "better": row["better"],
        "median": row["after"],
        "n": row["after_n"],
        "baseline_median": row["before"],
        "baseline_n": row["before_n"],
        "ratio": ratio,
        "low": low,
        "high": high,
        "p": row["p"],
        "verdict": _verdict(row["supported"]),
        "side": side,
        "statement": "",
    }


@step("findings", 2)
def _parts_of_joined_names(old: Content) -> Content:
    """Releases 2026.11.2 to 2026.11.6: only joined names contained what a group shares and the name of each."""
    for group in old["groups"]:
        group["library_parts"] = _split(group["library"])
    for each in old.get("contrasts", []):
        slugs, same = each.get("slugs", {}), each["same"]
        each["same_parts"] = _split(same)
        each["slug_parts"] = {name: _split(slug) for name, slug in slugs.items()}
        if not slugs:  # releases without labels for it
            each["beside"] = same.removesuffix(each["library"]).rstrip("-") or same
    return old


@step("findings", 2)
def _terms(old: Content) -> Content:
    """Releases 2026.11 to 2026.11.6: the keys were `subject`, `contenders` and others."""
    for group in old["groups"]:
        _rename(group, {"configurations": "settings", "subjects": "configurations", "contenders": "candidates"})
        for named in (*group.get("observations", []), *group["absent"], *_cells(group)):
            _rename(named, {"subject": "configuration"})
        if advice := group["recommendation"]:
            for option in advice["options"]:
                _rename(option, {"configuration": "settings", "subject": "configuration"})
            for data in ("draws", "weighing", "sessions"):
                _rename(advice.get(data) or {}, {"subjects": "configurations", "undecided": "inconclusive"})
    for each in old.get("contrasts", []):
        _rename(each, {"beside": "same_title"})
        for row in each["rows"]:
            _rename(row, {"subject": "configuration"})
    return old


_ALL_HELD = "All of them held at the largest number that was tried"


@step("findings", 2)
def _capped(old: Content) -> Content:
    """Releases 2026.11.2 to 2026.11.6: only a sentence said that a search has to go further."""
    for group in old["groups"]:
        if advice := group["recommendation"]:
            advice["capped"] = any(_ALL_HELD in statement for statement in advice["statements"])
    return old


def _cells(group: Content) -> Iterator[Content]:
    return (cell for table in group["metrics"] for cell in table["cells"])


def _rename(content: Content, keys: Mapping[str, str]) -> None:
    """Rename those of the keys that there are, in their order."""
    for old, new in keys.items():
        if old in content:
            content[new] = content.pop(old)


def _split(name: str) -> list[str]:
    return name.split("--") if name else []


# ---- findings within joined.json


@step("joined", 1)
def _newest_findings(content: Content) -> Content:
    """Releases 2026.11.5 and 2026.11.6: the findings of each contribution have format 2."""
    for machine in content["machines"]:
        for contribution in machine["bundles"]:
            newest = to_newest("findings", json.dumps(contribution["findings"]).encode())
            if newest is not None:
                contribution["findings"] = json.loads(newest)
    return content


@step("joined", 1)
def _terms_of_replication(content: Content) -> Content:
    """Releases 2026.11.5 and 2026.11.6: the keys were `bundles`, `told`, `elsewhere` and `subject`."""
    _rename(content, {"elsewhere": "replications"})
    for machine in content["machines"]:
        _rename(machine, {"bundles": "contributions", "told": "answers"})
        for cell in (cell for answer in machine["answers"] for task in answer["tasks"] for cell in task["cells"]):
            _rename(cell, {"subject": "configuration"})
    for leader in (leader for replication in content["replications"] for leader in replication["held"]):
        _rename(leader, {"subject": "configuration"})
    return content
