"""Claims that a study makes without figures, compared with measurements."""

from typing import Any

from spindlemark.analysis.findings.model import Contrasts, Group
from spindlemark.analysis.studies import claim_model as declared
from spindlemark.analysis.studies.source_model import Claimed, Source
from spindlemark.core import paths
from spindlemark.site.context import Context
from spindlemark.site.studies import changes, entries, locations, ratios

Page = dict[str, Any]


def pages(groups: list[Group], known: dict[str, Source], context: Context) -> list[Page]:
    """Return one entry per claim and testbed that answers its question."""
    found = []
    for source in known.values():
        for claim in source.today.claims if source.today else ():
            own = [
                c
                for c in context.contrasts
                if (c.family, c.question) == (claim.family, claim.question) and {*claim.place} <= {*c.same_parts}
            ]
            for testbed in dict.fromkeys(c.testbed for c in own):
                lent = [g for g in groups if (g.family, g.testbed) == (claim.family, testbed)]
                task = lent and _task(claim, [c for c in own if c.testbed == testbed], lent, context)
                if task:
                    quote = declared.read(paths.REFERENCE / source.id).claims[claim.claim].quote
                    found.append(
                        entries.head(
                            source, lent[0], context, "claimed", f"“{quote}”", f"claimed-{claim.claim}-{testbed}"
                        )
                        | {
                            "tasks": [task],
                            "claim": f"{locations.study(source.id)}#c-{locations.fragment(claim.claim)}",
                        }
                    )
    return found


def _task(claim: Claimed, own: list[Contrasts], groups: list[Group], context: Context) -> Page | None:
    found = changes.answers(own, claim.configurations, claim.metric)
    rows = [changes.row_of(c, row, None, changes.compared(groups), context) for c, row in found]
    for row in rows:
        row["says"] = row["now"]["side"] if row["now"] else row["says"]
    ratios.draw(rows)
    return (
        {
            "metric": claim.metric,
            "title": found[0][1].title,
            "base": found[0][0].baseline,
            "why": None,
            "rows": rows,
            "words": ratios.relation(found[0][1], found[0][0].baseline),
            "note": claim.note,
        }
        if rows
        else None
    )
