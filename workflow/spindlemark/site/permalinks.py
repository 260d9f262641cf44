"""Permalinks: each table, chart, claim and answer of a release has a short address of its own.

The address is `cite/#<code>` below the version. The code depends only on the place, so it is the same in each build.
"""

import base64
import hashlib
from pathlib import Path
from typing import Any

from spindlemark.site import embedded_answers

Page = dict[str, Any]
NAMES = ("title", "question", "quote", "library")  # keys of a part's title; each kind has one of them
# Characters of a code. The first is constant; among 2,000 places, two share a code once in 500 versions.
SHORTEST = 7
PICTURES = "embed"  # folder of the pictures of answers


class Citable:
    """Gives each citable part of a version's pages its code (`cite`), draws the answers, and lists all parts.

    Does nothing for unreleased results, which change and cannot be cited.
    """

    def __init__(self, version: Page, cited: Page, static: Path) -> None:
        self._version, self._cited, self._static = version, cited, static
        self._taken: set[str] = set()
        self._listed: dict[str, Page] = {}

    @property
    def about(self) -> Page:
        """What a file of an answer shows of its version."""
        licence = self._cited["licence"]["identifier"]
        return {"version": self._version["version"], "site": self._cited["site"], "licence": licence}

    def pages(self) -> list[Page]:
        """Parts with a code, by the title of their page."""
        return list(self._listed.values())

    def group(self, page: Page) -> None:
        """The answer, scorecard, pictures, contrasts and metrics of a group's page."""
        path, title = page["path"], page["title"]
        if page["answer"]:
            self._add(path, title, "answer", "answer", page["answer"], "Recommendation")
            self._draw(page)
        for picture in page["pictures"]:
            self._add(path, title, "table" if picture.get("matrix") else "chart", picture["anchor"], picture)
        for entry in page["contrasts"]:
            self._add(path, title, "table", entry["anchor"], entry)
        if page["answer"] and page["scorecard"]:
            self._add(path, title, "table", "scorecard", page["scorecard"], "Scorecard")
        for metric in page["metrics"]:
            self._add(path, title, "chart and table" if metric.get("svg") else "table", metric["anchor"], metric)

    def explored(self, metric: Page) -> None:
        """The table of all results of a metric."""
        self._add(metric["path"], "Explore", "table", "results", metric)

    def studies(self, data: dict[str, Any]) -> None:
        """Claims and printed tables of the studies, and the tables derived from them."""
        for study in data["studies"]["studies"]:
            for claim in (claim for section in study["sections"] for claim in section.get("claims", [])):
                self._add(study["path"], f"{study['id']}: {study['title']}", "claim", claim["anchor"], claim)
            for table in study["printed"]:
                self._add(study["tables_path"], f"Tables of study {study['id']}", "table", table["anchor"], table)
        for table in data["rederived"]:
            self._add("study/rederived/", "Conclusions derived again", "table", table["anchor"], table)
        for table in data["then"]:
            self._add("study/then-and-now/", "Then and now", "table", table["anchor"], table, page=table["page"])

    def _add(self, path: str, title: str, kind: str, fragment: str, part: Page, name: str = "", page: str = "") -> None:
        """Add one part of the page `path`, or of `page` where a large page was split."""
        if self._version["unreleased"]:
            return
        part["cite"] = code = _code(f"{path}#{fragment}", self._taken)
        name = name or next((part[key] for key in NAMES if part.get(key)), title)
        item = {"code": code, "kind": kind, "place": f"{page or path}#{fragment}", "title": name}
        picture = {"picture": f"{PICTURES}/{code}.svg"} if kind == "answer" else {}
        self._listed.setdefault(title, {"title": title, "items": []})["items"].append(item | picture)

    def _draw(self, page: Page) -> None:
        if code := page["answer"].get("cite"):
            target = self._static / PICTURES / f"{code}.svg"
            target.parent.mkdir(parents=True, exist_ok=True)
            drawn = embedded_answers.card(
                page["title"], page["testbed"]["title"], page["answer"], self._version, self._cited, code
            )
            target.write_text(drawn, encoding="utf-8")


def _code(place: str, taken: set[str]) -> str:
    # A letter first: the code is the id of an element too.
    whole = "c" + base64.b32encode(hashlib.sha256(place.encode()).digest()).decode().lower().rstrip("=")
    length = next(n for n in range(SHORTEST, len(whole) + 1) if whole[:n] not in taken)
    taken.add(whole[:length])
    return whole[:length]
