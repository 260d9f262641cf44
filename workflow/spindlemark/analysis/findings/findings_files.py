"""Findings files: reading them, also those of releases that were frozen with format 1.

A release keeps the findings that it was published with. Format 1 knew supported differences only, gains of settings
and changes by kernels, each with a shape of its own; here they take the shape of today. Nothing is computed anew.
"""

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from spindlemark.analysis.findings.model import FINDINGS_FORMAT, Findings
from spindlemark.core import safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.limits import told

MOST_BYTES = 1 << 30  # ten thousand experiments have a quarter of it
_REMEDY = "move it away, then: ./spindlemark site"


def read(path: Path) -> Findings:
    """Read a findings file of any format; raises UserError naming file and key."""
    try:
        text = safe_read.read(path, MOST_BYTES, _REMEDY)
        try:
            return Findings.model_validate_json(text)  # at once: as objects of Python's own it is five times as large
        except ValidationError:
            content = json.loads(text)
        if isinstance(content, dict) and content.get("findings_format") == 1:
            content = _upgraded(content)
        return Findings.model_validate(content)
    except ValidationError as error:
        key, wrong = told(error)
        raise UserError(f"{path}: {key}: {wrong}", _REMEDY) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: is no findings file: {error}", _REMEDY) from None


def _upgraded(old: dict[str, Any]) -> dict[str, Any]:
    groups = old["groups"]
    contrasts = [told for group in groups for told in _gains(group, group.pop("gains", []))]
    contrasts += [told for change in old.pop("kernels", []) for told in _kernels(change)]
    for group in groups:
        for table in group["metrics"]:
            table["pairs"] = [_pair(pair) for pair in table["pairs"]]
        if advice := group["recommendation"]:
            advice["verdict"] = _verdict(advice.pop("supported"))
            advice["first"] = [o["subject"] for o in advice["options"] if o["tier"] == 1]
        group["contenders"] = group["subjects"]
    return old | {"findings_format": FINDINGS_FORMAT, "contrasts": contrasts}


def _verdict(supported: bool) -> str:
    return "better" if supported else "undecided"


def _pair(pair: dict[str, Any]) -> dict[str, Any]:
    return {**{k: v for k, v in pair.items() if k != "supported"}, "verdict": _verdict(pair["supported"])}


def _gains(group: dict[str, Any], gains: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry per baseline, as a setting or a scheduler: format 1 did not tell the two apart."""
    found: dict[str, list[dict]] = {}
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


def _kernels(change: dict[str, Any]) -> list[dict[str, Any]]:
    """One entry per configuration, whose subjects are the two kernels."""
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
    found: dict[str, list[dict]] = {}
    for row in change["rows"]:
        found.setdefault(row["subject"], []).append(_kernel(row, before["kernel"], after["kernel"]))
    return [
        {**shared, "same": "--".join(part for part in (configuration, change["library"]) if part), "rows": rows}
        for configuration, rows in found.items()
    ]


def _kernel(row: dict[str, Any], before: str, after: str) -> dict[str, Any]:
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
