"""Every kind of page data with its model, and the check of each file before it is written."""

import json
from collections import Counter
from contextlib import suppress
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from spindlemark.analysis.findings.model import Draws, Weighing
from spindlemark.core.limits import key_of, message
from spindlemark.site.models.answer_file_model import AnswerFile, Badge
from spindlemark.site.models.cited_model import CitablePage, CitedRelease, CitedVersion, Download
from spindlemark.site.models.contrast_model import Kernels
from spindlemark.site.models.difference_model import Difference
from spindlemark.site.models.errata_model import Erratum
from spindlemark.site.models.experiment_model import Environments, Experiment
from spindlemark.site.models.explore_model import Columns, Explore
from spindlemark.site.models.group_model import GroupEntry, GroupPage
from spindlemark.site.models.home_model import Home
from spindlemark.site.models.index_model import IndexTable
from spindlemark.site.models.machine_model import Machines
from spindlemark.site.models.method_model import Control, Method, Term, Truth
from spindlemark.site.models.planner_model import Planner
from spindlemark.site.models.rederived_model import RederivedTable
from spindlemark.site.models.search_model import Found
from spindlemark.site.models.sql_model import SqlConsole
from spindlemark.site.models.study_model import Studies
from spindlemark.site.models.then_model import ThenEntry
from spindlemark.site.models.version_model import Version, VersionList

# Kind, which is the name of Hugo's data where Hugo reads it -> content of a file.
KINDS: dict[str, Any] = {
    "answer": AnswerFile,
    "badge": Badge,
    "citable": list[CitablePage],
    "cited": CitedRelease | CitedVersion,
    "columns": Columns,
    "controls": list[Control],
    "differences": list[Difference],
    "downloads": list[Download],
    "draws": Draws,
    "errata": list[Erratum],
    "experiments": list[Experiment],
    "explore": Explore,
    "groups": list[GroupEntry],
    "home": Home,
    "index": list[IndexTable],
    "kernels": Kernels,
    "libraries": list[GroupPage],
    "machines": Machines,
    "methods": list[Method],
    "planner": Planner,
    "questions": list[GroupPage],
    "rederived": list[RederivedTable],
    "search": list[Found],
    "shared": Environments,
    "sql": SqlConsole,
    "studies": Studies,
    "then": list[ThenEntry],
    "truth": list[Truth],
    "glossary": list[Term],
    "version": Version,
    "versions": VersionList,
    "weighing": Weighing,
}


@cache
def _adapter(kind: str) -> TypeAdapter:
    return TypeAdapter(KINDS[kind])


def check(kind: str, text: str) -> None:
    """Raise ValueError unless `text` is JSON of the kind; the message names the page and the key."""
    try:
        _adapter(kind).validate_json(text)
    except ValidationError as error:
        first = _nearest(error.errors(include_url=False))
        page = _page(json.loads(text), first["loc"])
        raise ValueError(
            f"page data {kind!r}{page}: {key_of(first['loc'])}: {message(first)}; change its model in site/models/ too"
        ) from None


def _nearest(errors: list[ErrorDetails]) -> ErrorDetails:
    """The first error of the object with the fewest: where several models are allowed, the others have more."""
    sizes = Counter(error["loc"][:-1] for error in errors)
    return min(errors, key=lambda error: sizes[error["loc"][:-1]])


def _page(content: Any, place: tuple[int | str, ...]) -> str:
    """The path of the page that has a place of the data; empty where the data are of no single page."""
    for step in place:
        if isinstance(content, dict) and isinstance(content.get("path"), str):
            return f", page {content['path']}"
        with suppress(KeyError, IndexError, TypeError):  # a step that is not in the data is the name of a model
            content = content[step]
    return ""
