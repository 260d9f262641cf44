"""The overview of all studies: what each of them is, and the verdicts on its claims."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from spindlemark.analysis.format import count
from spindlemark.analysis.studies import vague_words
from spindlemark.analysis.studies.audit_model import Audit, Study
from spindlemark.analysis.studies.claim_verdict import Verdict
from spindlemark.analysis.studies.source_model import Source
from spindlemark.site.studies import locations
from spindlemark.site.studies.audit_page import VERDICTS

Page = dict[str, Any]


def card(source: Source, study: Study, patterns: int) -> Page:
    """Return the row of a study."""
    return {
        "id": source.id,
        "path": locations.study(source.id),
        "tables_path": locations.tables(source.id),
        "then_path": locations.then(source.id),
        "title": source.title,
        "about": about(source),
        "tables": study.tables,
        "cells": study.cells,
        "samples": study.samples,
        "pattern_count": patterns,
        "verdicts": [
            {"verdict": v, "title": t, "count": study.verdicts[v], "anchor": v.replace(" ", "-")}
            for v, t in VERDICTS.items()
        ],
        "total": sum(study.verdicts.values()),
        "statement": outcome(study.verdicts, study.rows, "this study"),
    }


def about(source: Source) -> str:
    """Return document type, authors and date."""
    when = source.date or "undated"
    note = f" ({source.date_note})" if source.date_note else ""
    authors = [name for name in source.authors if not (source.institution or "").startswith(name)]
    words = [source.document[:1].upper() + source.document[1:], *authors, source.institution, when + note]
    return ", ".join(dict.fromkeys(word for word in words if word))


def outcome(verdicts: Mapping[Verdict, int], rows: int, where: str) -> str:
    """Summarise the verdicts in one sentence; `rows`: number of checked values."""
    total = sum(verdicts.values())
    truncated = f"{verdicts['cut off']:,} {'was' if verdicts['cut off'] == 1 else 'were'} truncated"
    once = f" Repeated errors count once ({count(rows, 'value')} checked)." if rows > total else ""
    return (
        f"Of {count(total, 'quantitative claim')} in {where}, its own figures confirm {verdicts['confirmed']:,} and contradict "
        f"{verdicts['contradicted']:,}; {truncated} instead of rounded, and "
        f"{verdicts['not derivable']:,} cannot be derived from the figures.{once}"
    )


def total(audit: Audit) -> Page:
    """Return the sums over all studies."""
    verdicts: Counter[Verdict] = Counter()
    for study in audit.studies:
        verdicts.update(study.verdicts)
    rows = len(audit.claims)
    return {
        "studies": len(audit.studies),
        "claims": sum(verdicts.values()),
        "patterns": len(audit.anomalies),
        "cells": sum(s.cells for s in audit.studies),
        "samples": sum(s.samples for s in audit.studies),
        "verdicts": dict(verdicts),
        "words": [
            {
                "word": name,
                "spelled": ", ".join(w.words),
                "means": f"{w.relation} {w.bound} {w.unit}",
                "reason": w.reason,
            }
            for name, w in vague_words.read().items()
        ],
        "statement": outcome(verdicts, rows, f"{count(len(audit.studies), 'study', 'studies')}").replace(
            "its own", "their own"
        ),
    }


def facts(source: Source) -> Page:
    """Return machine, software, method and units of a study from its `source.yaml`."""
    rows = [
        {"label": k.replace("_", " ").capitalize(), "value": v} for k, v in (source.machine | source.software).items()
    ]
    return {
        "rows": rows,
        "method": source.method,
        "repetitions": source.repetitions,
        "units": source.units,
        "missing": [{"word": k, "meaning": v} for k, v in source.missing.items()],
        "beyond": [{"what": k, "why": v} for k, v in source.today.beyond.items()] if source.today else [],
    }
