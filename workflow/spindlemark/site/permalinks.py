"""What can be cited by itself: each table, chart, claim and answer of a release, with a short address of its own.

The address is `cite/#<code>` below the version. The code comes from the place alone, so that it stays what it is
whenever the site is built again.
"""

import base64
import hashlib
from pathlib import Path
from typing import Any

from spindlemark.site import embedded_answers

Page = dict[str, Any]
NAMES = ("title", "question", "quote", "library")  # what parts are called, each kind by one of these
# Characters of a code, the first of which tells nothing: of 2,000 places two share one once in 500 versions.
SHORTEST = 7
PICTURES = "embed"  # folder of the answers as pictures


class Citable:
    """Gives each citable part of one version's pages its code (`cite`), draws the answers, and lists all.

    Nothing of unreleased results can be cited, because they change: then it does nothing.
    """

    def __init__(self, version: Page, cited: Page, static: Path) -> None:
        self._version, self._cited, self._static = version, cited, static
        self._taken: set[str] = set()
        self._listed: dict[str, Page] = {}

    def pages(self) -> list[Page]:
        """What was given a code, by the title of its page."""
        return list(self._listed.values())

    def group(self, page: Page) -> None:
        """The answer, scorecard, pictures, contrasts and metrics of a group's page."""
        path, title = page["path"], page["title"]
        if page["answer"]:
            self._add(path, title, "answer", "answer", page["answer"], "what is advised")
            self._draw(page)
        for picture in page["pictures"]:
            self._add(path, title, "table" if picture.get("matrix") else "chart", picture["anchor"], picture)
        for entry in page["contrasts"]:
            self._add(path, title, "table", entry["anchor"], entry)
        if page["answer"] and page["scorecard"]:
            self._add(path, title, "table", "scorecard", page["scorecard"], "Scorecard")
        for metric in page["metrics"]:
            self._add(path, title, "chart and table" if metric.get("svg") else "table", metric["anchor"], metric)

    def compared(self, page: Page) -> None:
        """The one table of a page that compares all by a metric."""
        self._add(page["path"], "Compare", "chart and table" if page.get("svg") else "table", "metric", page)

    def studies(self, data: dict[str, Any]) -> None:
        """Claims and printed tables of the studies, and what is made of them."""
        for study in data["studies"]["studies"]:
            for claim in (claim for section in study["sections"] for claim in section.get("claims", [])):
                self._add(study["path"], f"{study['id']}: {study['title']}", "claim", claim["anchor"], claim)
            for table in study["printed"]:
                self._add(study["tables_path"], f"Tables of study {study['id']}", "table", table["anchor"], table)
        for table in data["rederived"]:
            self._add("study/rederived/", "Conclusions derived again", "table", table["anchor"], table)
        for table in data["then"]:
            self._add("study/then-and-now/", "Then and now", "table", table["anchor"], table, page=table["page"])

    def _add(self, path: str, title: str, kind: str, anchor: str, part: Page, name: str = "", page: str = "") -> None:
        """One part of the page `path`, which is on `page` where a large page was split."""
        if self._version["unreleased"]:
            return
        part["cite"] = code = _code(f"{path}#{anchor}", self._taken)
        name = name or next((part[key] for key in NAMES if part.get(key)), title)
        item = {"code": code, "kind": kind, "place": f"{page or path}#{anchor}", "title": name}
        picture = {"picture": f"{PICTURES}/{code}.svg"} if kind == "answer" else {}
        self._listed.setdefault(title, {"title": title, "items": []})["items"].append(item | picture)

    def _draw(self, page: Page) -> None:
        if code := page["answer"].get("cite"):
            target = self._static / PICTURES / f"{code}.svg"
            target.parent.mkdir(parents=True, exist_ok=True)
            drawn = embedded_answers.card(
                page["title"], page["testbed"]["name"], page["answer"], self._version, self._cited, code
            )
            target.write_text(drawn, encoding="utf-8")


def _code(place: str, taken: set[str]) -> str:
    # A letter first: the code is the id of an element too.
    whole = "c" + base64.b32encode(hashlib.sha256(place.encode()).digest()).decode().lower().rstrip("=")
    length = next(n for n in range(SHORTEST, len(whole) + 1) if whole[:n] not in taken)
    taken.add(whole[:length])
    return whole[:length]
