"""Places that claims and patterns refer to: text with a link to the printed table."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from spindlemark.analysis.studies.audit_model import Link
from spindlemark.analysis.studies.source_model import Source
from spindlemark.core import paths
from spindlemark.site import address

Page = dict[str, Any]
MOST_LINKS = 6
SOURCES = "sources"  # folder of a site: the files of the studies, which versions share


def study(source: str) -> str:
    """Return the address of a study's audit."""
    return f"study/{source}/"


def files(source: str) -> list[Path]:
    """Return the data files of a study."""
    return sorted(path for path in (paths.REFERENCE / source).iterdir() if path.is_file())


@cache
def offered(source: str) -> str:
    """Return the address of these files below the root of the site. It has their hash, so that versions can share them."""
    digest = hashlib.sha256()
    for path in files(source):
        digest.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return f"{SOURCES}/{source}-{digest.hexdigest()[:12]}/"


def tables(source: str) -> str:
    """Return the address of a study's printed tables."""
    return f"study/{source}/tables/"


def then(source: str) -> str:
    """Return the address of the comparison of a study with measurements of today."""
    return f"study/{source}/then-and-now/"


def fragment(name: str) -> str:
    """Return the fragment of a table or claim in its page: letters, digits, hyphen and underscore."""
    return address.slug(name).replace(".", "-")


def name(source: Source, table: str) -> str:
    """Return the printed number of a table, or its title if it has no number."""
    known = source.tables[table]
    return known.number or known.title


def place(source: Source, text: str) -> Page:
    """Return a place such as `table-15: jfs, average` with printed names and a link; places in the text stay unchanged."""
    table, _, rest = text.partition(": ")
    if not rest or table not in source.tables:
        return {"text": text if not text[:1].isdigit() else f"Section {text}", "url": None}
    row, _, column = rest.rpartition(", ")
    heading = source.tables[table].columns.get(column, column)
    return {"text": f"{name(source, table)}: {row}, {heading}", "url": f"{tables(source.id)}#{fragment(table)}"}


def links(source: Source, found: list[Link], cells: list[tuple]) -> list[Page]:
    """Return links to the tables with the rows of a claim; `cells`: (table, experiment, metric, family) of each cell."""
    wanted = {t for link in found for t, *names in cells if _fits(link, t, *names)}
    wanted |= {link.table for link in found if link.table}
    shown = [t for t in source.tables if t in wanted]
    if len(shown) > MOST_LINKS:
        return [{"text": f"{len(shown)} tables", "url": tables(source.id)}]
    return [{"text": name(source, t), "url": f"{tables(source.id)}#{fragment(t)}"} for t in shown]


def _fits(link: Link, table: str, experiment: str, metric: str, family: str) -> bool:
    pairs = ((link.table, table), (link.experiment, experiment), (link.metric, metric), (link.family, family))
    return all(wanted is None or wanted == own for wanted, own in pairs)
