"""Data of many pages, in parts: Hugo keeps all data of a build in memory, so it builds such pages part by part."""

import json
from pathlib import Path
from types import TracebackType
from typing import Any

from spindlemark.site.models import kinds

FOLDER = "parts"
MOST_CHARACTERS = 16 << 20  # of a part's pages


class Parts:
    """A list of pages as Hugo's data `<name>`, split into parts of about MOST_CHARACTERS.

    Content that several pages of a part share is written once, by name, as its data `shared`.
    """

    def __init__(self, output: Path, name: str) -> None:
        self._folder, self._name = output / FOLDER, name
        self._pages: list[str] = []
        self._shared: dict[str, Any] = {}
        self._characters = self._count = 0

    def __enter__(self) -> "Parts":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._pages:
            self._write()

    def add(self, page: dict[str, Any], shared: dict[str, Any]) -> None:
        """Add a page, and the shared content that it needs."""
        content = text(page)
        kinds.check(self._name, f"[{content}]")
        self._pages.append(content)
        self._shared |= shared
        self._characters += len(content)
        if self._characters >= MOST_CHARACTERS:
            self._write()

    def _write(self) -> None:
        own = self._folder / f"{self._name}-{self._count:04}"
        own.mkdir(parents=True)
        with (own / f"{self._name}.json").open("w", encoding="utf-8") as stream:
            stream.write(f"[{','.join(self._pages)}]")
        (own / "shared.json").write_text(checked("shared", self._shared), encoding="utf-8")
        self._pages, self._shared, self._characters, self._count = [], {}, 0, self._count + 1


def text(content: Any) -> str:
    """Compact JSON; the same content gives the same text."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def checked(kind: str, content: Any) -> str:
    """The same, of one of the kinds of page data; raises ValueError for any other content."""
    found = text(content)
    kinds.check(kind, found)
    return found


def write(path: Path, kind: str, content: Any) -> None:
    """Write one of the kinds of page data to `path`; raises ValueError for any other content."""
    write_text(path, checked(kind, content))


def write_text(path: Path, content: str) -> None:
    """Write `content`, and the folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
