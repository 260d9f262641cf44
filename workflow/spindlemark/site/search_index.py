"""The index of the page Search: what a version holds, by title and kind."""

from collections.abc import Iterable
from typing import Any

from spindlemark.site import address, testbed_labels

Page = dict[str, Any]
PATH = "search.json.gz"
PAGES = (
    ("Explore all results", "explore/"),
    ("Plan: what a kind of media needs", "planner/"),
    ("Then and now: published ratios next to new ones", "study/then-and-now/"),
    ("Method, and what these results cannot show", "method/"),
    ("Procedure: one repetition, validity, statistics, weights", "method/procedure/"),
    ("Benchmark families", "method/families/"),
    ("Glossary of terms, marks and metrics", "method/glossary/"),
    ("Results of other machines", "machine/"),
    ("Download", "data/"),
    ("SQL console", "sql/"),
    ("Cite a version, table, chart, claim or answer", "cite/"),
    ("Versions", "versions/"),
)


def build(
    answers: Iterable[Page],
    families: Iterable[Page],
    metrics: Iterable[Page],
    studies: Iterable[Page],
    found: Iterable[Page],
    terms: Iterable[Page],
) -> list[Page]:
    """All entries, the more important first. `found`: experiments; `terms`: of the glossary; the others are the data of their pages."""
    return [
        *(_entry(_answer(page), page["path"], "Answer") for page in answers),
        *(_entry(family["title"], family["path"], "Question") for family in families),
        *(_entry(title, path, "Page") for title, path in PAGES),
        *(_entry(f"Study {study['id']}: {study['title']}", study["path"], "Study") for study in studies),
        *(_entry(f"{metric['title']} ({metric['metric']})", metric["path"], "Metric") for metric in metrics),
        *(_entry(term["title"], f"method/glossary/#{term['anchor']}", "Term") for term in terms),
        *(
            _entry(f"{page['title']}, {testbed_labels.title(page['testbed'])}", page["path"], "Experiment")
            for page in sorted(found, key=lambda page: page["path"].removeprefix(address.KERNEL))
        ),
    ]


def _answer(page: Page) -> str:
    return f"{page['title']}: {page['headline']}" if page.get("headline") else page["title"]


def _entry(title: str, path: str, kind: str) -> Page:
    return {"title": title, "path": path, "kind": kind}
