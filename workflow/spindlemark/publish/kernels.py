"""The page of kernels: the same experiments on the same machine under two kernels, side by side and never ranked."""

from collections import Counter
from typing import Any

from spindlemark.findings.report import Findings, KernelChange, KernelRow
from spindlemark.publish import configuration, evidence, questions, testbeds
from spindlemark.publish.context import Context
from spindlemark.publish.numbers import MISSING, number, ratio

Page = dict[str, Any]
VERDICTS = {"better": "better", "worse": "worse", "changed": "changed", "level": "no supported change"}


def build(findings: Findings, context: Context) -> Page:
    """One entry per change; empty where nothing was measured under two kernels."""
    changes = [_change(c, context) for c in findings.kernels]
    total = Counter(row.verdict for c in findings.kernels for row in c.rows)
    return {"changes": changes, "kernels": list(dict.fromkeys(k for c in changes for k in c["kernels"])),
            "emulated": any(c.emulated for c in findings.kernels), "mark": testbeds.EMULATED,
            "counts": [{"verdict": v, "title": title, "count": total[v]} for v, title in VERDICTS.items()]}


def _change(c: KernelChange, context: Context) -> Page:
    rows = sorted(c.rows, key=lambda r: r.subject)
    changed = [_row(r, context) for r in rows if r.verdict != "level"]
    level = [_row(r, context) for r in rows if r.verdict == "level"]
    return {"anchor": evidence.anchor(f"k-{c.after.group}-{c.before.group}"), "title": c.title, "emulated": c.emulated,
            "question": questions.of_family(c.family).title, "statement": c.statement,
            "kernels": [c.before.kernel, c.after.kernel],
            "sides": [{"testbed": side.testbed, "kernel": side.kernel, "path": context.groups.get(side.group)}
                      for side in (c.before, c.after)],
            "changed": changed, "level": level, "count": len(rows)}


def _row(r: KernelRow, context: Context) -> Page:
    return {"subject": context.subject(r.subject), "default": configuration.is_default(r.subject),
            "metric": r.metric, "title": r.title,
            "before": number(r.before, r.unit, r.metric), "before_n": r.before_n,
            "after": number(r.after, r.unit, r.metric), "after_n": r.after_n, "ratio": ratio(r.ratio),
            "interval": evidence.span(r.low, r.high) if r.low is not None else MISSING,
            "p": evidence.probability(r.p), "verdict": r.verdict, "says": VERDICTS[r.verdict]}
