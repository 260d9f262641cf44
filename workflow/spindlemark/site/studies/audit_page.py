"""The audit page of a study: each claim with its value and the recomputed one, contradictions first, and suspicious patterns."""

import re
from collections import Counter, defaultdict
from typing import Any

from spindlemark.analysis.format import count
from spindlemark.analysis.studies.audit_model import Checked, Omitted, Slipped
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
    source: Source, claims: list[Checked], declared: Claims, slips: list[Slipped], cells: list[tuple]
) -> list[Page]:
    """Return one section per verdict: claims of the text, claims of a rule as one table, and errors that affect several claims."""
    fragments = fragment_names(claims)
    by_id = {slip.id: slip for slip in slips}
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
                "anchor": locations.fragment(verdict),
                "rows": len(own),
                "count": counted(own)[verdict],
                "slips": _slips(own, by_id, fragments),
                "claims": [_claim(source, c, fragments[c.id], cells) for c in own if not c.rule],
                "rules": [_rule(source, id_, rows, declared, fragments) for id_, rows in by_rule.items()],
            }
        )
    return found


def _slips(claims: list[Checked], by_id: dict[str, Slipped], fragments: dict[str, str]) -> list[Page]:
    """Return each repeated error, with a link to the first claim that has it."""
    shown: dict[str, list[Checked]] = defaultdict(list)
    for c in claims:
        if c.slip:
            shown[c.slip].append(c)
    return [
        {
            "what": by_id[id_].what,
            "rows": count(len(own), "value"),
            "url": f"#{fragments[own[0].id]}",
            "first": own[0].id,
        }
        for id_, own in shown.items()
    ]


def fragment_names(claims: list[Checked]) -> dict[str, str]:
    """Return claim -> its fragment on the page; equal ones are numbered."""
    taken: Counter[str] = Counter()
    names = {}
    for c in claims:
        slug = f"c-{locations.fragment(c.id)}"
        taken[slug] += 1
        names[c.id] = slug if taken[slug] == 1 else f"{slug}-{taken[slug]}"
    return names


def _claim(source: Source, c: Checked, fragment: str, cells: list[tuple]) -> Page:
    return {
        "anchor": fragment,
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
        "links": locations.links(source, c.links, cells),
    }


def _rule(source: Source, id_: str, rows: list[Checked], declared: Claims, fragments: dict[str, str]) -> Page:
    rule = declared.rules[id_]
    return {
        "label": f"{rule.place}: {rule.quote}, {rows[0].verdict}",
        "anchor": f"r-{locations.fragment(id_)}-{locations.fragment(rows[0].verdict)}",
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
                "anchor": fragments[c.id],
                "key": c.id.removeprefix(f"{id_}/"),
                "place": locations.place(source, c.place),
                "claimed": _listed(c.claimed),
                "figures": _listed(c.right) or "unknown",
                "notes": c.notes,
                "hints": c.hints,
            }
            for c in rows
        ],
    }


def _claimed(c: Checked) -> str:
    """Format the claimed value; a claim without a value is quoted on the page."""
    if c.claimed == ["true"]:
        return "as quoted"
    if c.vague:
        return f"{c.vague}: {c.relation} {c.claimed[0]} {c.unit}"
    values = _listed(c.claimed, c.relation)
    return " ".join(part for part in ("" if c.relation in ("equal", "within") else c.relation, values, c.unit) if part)


def _figures(c: Checked) -> str:
    if c.verdict == "not derivable":
        return "cannot be derived"
    if c.claimed == ["true"]:
        return "support it" if c.verdict == "confirmed" else "do not support it"
    if not c.right:
        return "do not support it; the right value is unknown"
    return f"{_listed(c.right, c.relation)} {c.unit}".strip()


def _listed(values: list[str], relation: str = "equal") -> str:
    """Join values, with the thousands separators that the document has and the data do not."""
    grouped = [re.sub(r"^(-?\d{5,})(?=$|\.)", lambda found: f"{int(found[1]):,}", value) for value in values]
    return (" to " if relation == "within" else ", ").join(grouped)


def _tolerance(c: Checked) -> str | None:
    unit = "" if " " in c.unit else c.unit  # a counted thing with a long name
    return None if c.tolerance is None else f"± {c.tolerance:g} {unit}".strip()


def omissions(source: Source, found: list[Omitted]) -> list[Page]:
    """Return what the tables show and the text does not mention."""
    return [
        {
            "anchor": f"o-{locations.fragment(each.id)}",
            "place": locations.place(source, each.place),
            "statement": each.statement,
            "query": each.query,
        }
        for each in found
    ]


def patterns(source: Source, anomalies: list[Anomaly]) -> list[Page]:
    """Return the suspicious places by kind of pattern."""
    found: dict[str, Page] = {}
    for one in anomalies:
        kind = found.setdefault(one.detector, {"title": one.title, "rows": []})
        kind["rows"].append(
            {"places": [locations.place(source, cell) for cell in one.cells], "statement": one.statement}
        )
    return list(found.values())
