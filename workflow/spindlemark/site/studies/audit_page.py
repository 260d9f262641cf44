"""The audit page of one study: every claim with both values, contradictions first, and the patterns in its figures."""

import re
from collections import Counter, defaultdict
from typing import Any

from spindlemark.analysis.format import count
from spindlemark.analysis.studies.audit_model import Checked, Slipped
from spindlemark.analysis.studies.author_errors import counted
from spindlemark.analysis.studies.claim_model import Claims
from spindlemark.analysis.studies.claim_verdict import Verdict
from spindlemark.analysis.studies.source_model import Source
from spindlemark.analysis.studies.suspicious_patterns import Anomaly
from spindlemark.site.studies import locations

Page = dict[str, Any]
VERDICTS: dict[Verdict, str] = {
    "contradicted": "Contradicted",
    "cut off": "Cut off",
    "not derivable": "Not derivable",
    "confirmed": "Confirmed",
}


def sections(
    source: Source, claims: list[Checked], declared: Claims, slips: list[Slipped], held: list[tuple]
) -> list[Page]:
    """One section per verdict: claims of the text one by one, those of a rule as one table, slips that show in several."""
    anchors = anchor_names(claims)
    told = {slip.id: slip for slip in slips}
    found = []
    for verdict, title in VERDICTS.items():
        own = [c for c in claims if c.verdict == verdict]
        by_rule: dict[str, list[Checked]] = defaultdict(list)
        for c in own:
            if c.rule:
                by_rule[c.rule].append(c)
        found.append(
            {
                "verdict": verdict,
                "title": title,
                "anchor": locations.anchor(verdict),
                "rows": len(own),
                "count": counted(own)[verdict],
                "slips": _slips(own, told, anchors),
                "claims": [_claim(source, c, anchors[c.id], held) for c in own if not c.rule],
                "rules": [_rule(source, id_, rows, declared, anchors) for id_, rows in by_rule.items()],
            }
        )
    return found


def _slips(claims: list[Checked], told: dict[str, Slipped], anchors: dict[str, str]) -> list[Page]:
    """What each slip is, and where it shows."""
    shown: dict[str, list[Checked]] = defaultdict(list)
    for c in claims:
        if c.slip:
            shown[c.slip].append(c)
    return [
        {"what": told[id_].what, "rows": count(len(own), "value"), "url": f"#{anchors[own[0].id]}", "first": own[0].id}
        for id_, own in shown.items()
    ]


def anchor_names(claims: list[Checked]) -> dict[str, str]:
    """Claim -> its name on the page; equal ones are numbered."""
    taken: Counter[str] = Counter()
    names = {}
    for c in claims:
        slug = f"c-{locations.anchor(c.id)}"
        taken[slug] += 1
        names[c.id] = slug if taken[slug] == 1 else f"{slug}-{taken[slug]}"
    return names


def _claim(source: Source, c: Checked, anchor: str, held: list[tuple]) -> Page:
    return {
        "anchor": anchor,
        "place": locations.place(source, c.place),
        "quote": c.quote,
        "claimed": _claimed(c),
        "figures": _figures(c),
        "reading": c.reading,
        "tolerance": _tolerance(c),
        "why": c.why,
        "notes": c.notes,
        "hints": c.hints,
        "query": c.query,
        "links": locations.links(source, c.links, held),
    }


def _rule(source: Source, id_: str, rows: list[Checked], declared: Claims, anchors: dict[str, str]) -> Page:
    rule = declared.rules[id_]
    return {
        "label": f"{rule.place}: {rule.quote}, {rows[0].verdict}",
        "anchor": f"r-{locations.anchor(id_)}-{locations.anchor(rows[0].verdict)}",
        "quote": rule.quote,
        "place": rule.place,
        "unit": rule.unit,
        "reading": rule.reading,
        "query": rule.query.strip(),
        "count": count(len(rows), "value"),
        "relation": None if rule.relation == "equal" else rule.relation,
        "explained": any(c.notes or c.hints for c in rows),
        "rows": [
            {
                "anchor": anchors[c.id],
                "key": c.id.removeprefix(f"{id_}/"),
                "place": locations.place(source, c.place),
                "claimed": _listed(c.claimed),
                "figures": _listed(c.right) or "cannot be told",
                "notes": c.notes,
                "hints": c.hints,
            }
            for c in rows
        ],
    }


def _claimed(c: Checked) -> str:
    """The claim as a reader would say it; a claim in words is claimed as true."""
    if c.claimed == ["true"]:
        return "as quoted"
    if c.vague:
        return f"{c.vague}: {c.relation} {c.claimed[0]} {c.unit}"
    said = _listed(c.claimed, c.relation)
    return " ".join(part for part in ("" if c.relation in ("equal", "within") else c.relation, said, c.unit) if part)


def _figures(c: Checked) -> str:
    if c.verdict == "not derivable":
        return "cannot be derived"
    if c.claimed == ["true"]:
        return "bear it out" if c.verdict == "confirmed" else "do not bear it out"
    if not c.right:
        return "do not bear it out; what is right cannot be told"
    return f"{_listed(c.right, c.relation)} {c.unit}".strip()


def _listed(values: list[str], relation: str = "equal") -> str:
    """Values with thousands commas, which the print has too and the data leave out."""
    grouped = [re.sub(r"^(-?\d{5,})(?=$|\.)", lambda found: f"{int(found[1]):,}", value) for value in values]
    return (" to " if relation == "within" else ", ").join(grouped)


def _tolerance(c: Checked) -> str | None:
    unit = "" if " " in c.unit else c.unit  # a count of what takes many words
    return None if c.tolerance is None else f"± {c.tolerance:g} {unit}".strip()


def patterns(source: Source, anomalies: list[Anomaly]) -> list[Page]:
    """Suspicious places by kind of pattern."""
    found: dict[str, Page] = {}
    for one in anomalies:
        kind = found.setdefault(one.detector, {"title": one.title, "rows": []})
        kind["rows"].append(
            {"places": [locations.place(source, cell) for cell in one.cells], "statement": one.statement}
        )
    return list(found.values())
