"""Places: what a claim or a pattern points at, as text for readers with a link to the printed table."""

from typing import Any

from spindlemark.analysis.studies.audit_model import Link
from spindlemark.analysis.studies.source_model import Source
from spindlemark.site import address

Page = dict[str, Any]
MOST_LINKS = 6


def study(source: str) -> str:
    """Address of a study's audit."""
    return f"study/{source}/"


def tables(source: str) -> str:
    """Address of a study's printed tables."""
    return f"study/{source}/tables/"


def then(source: str) -> str:
    """Address of a study's figures beside those of today."""
    return f"study/{source}/then-and-now/"


def anchor(name: str) -> str:
    """Name of a table, or a claim, inside its page: letters, digits, hyphen and underscore."""
    return address.slug(name).replace(".", "-")


def name(source: Source, table: str) -> str:
    """What readers call a table: its printed number, or its title where it has none."""
    known = source.tables[table]
    return known.number or known.title


def place(source: Source, text: str) -> Page:
    """A place as `table-15: jfs, average` with printed names and a link; places in the text stay as they are."""
    table, _, rest = text.partition(": ")
    if not rest or table not in source.tables:
        return {"text": text if not text[:1].isdigit() else f"Section {text}", "url": None}
    row, _, column = rest.rpartition(", ")
    heading = source.tables[table].columns.get(column, column)
    return {"text": f"{name(source, table)}: {row}, {heading}", "url": f"{tables(source.id)}#{anchor(table)}"}


def links(source: Source, found: list[Link], held: list[tuple]) -> list[Page]:
    """Links to the tables with the rows behind a claim; `held`: (table, experiment, metric, family) of every cell."""
    wanted = {t for link in found for t, *names in held if _fits(link, t, *names)}
    wanted |= {link.table for link in found if link.table}
    shown = [t for t in source.tables if t in wanted]
    if len(shown) > MOST_LINKS:
        return [{"text": f"{len(shown)} tables", "url": tables(source.id)}]
    return [{"text": name(source, t), "url": f"{tables(source.id)}#{anchor(t)}"} for t in shown]


def _fits(link: Link, table: str, experiment: str, metric: str, family: str) -> bool:
    pairs = ((link.table, table), (link.experiment, experiment), (link.metric, metric), (link.family, family))
    return all(asked is None or asked == has for asked, has in pairs)
