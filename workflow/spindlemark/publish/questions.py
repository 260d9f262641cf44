"""The questions that the families answer: their titles for readers, and what a family says of itself."""

from collections.abc import Iterable
from typing import NamedTuple


class Question(NamedTuple):
    """A family as readers meet it."""

    title: str
    question: str


KNOWN = {
    "filesystem_lifecycle": Question("Library types", "Which filesystem for which media library?"),
    "concurrent_streams": Question("Streams at once", "How many streams can be played and recorded at once?"),
    "aging": Question("Aging", "What do years of recording and deleting do to a filesystem?"),
    "file_creation": Question("Creating files", "How long does it take to create files?"),
    "storage_profile": Question("Storage profile", "How fast is the storage, by the usual benchmarks?"),
}


def of_family(name: str) -> Question:
    """The question of a family; a family without one is called by its name."""
    return KNOWN.get(name) or Question(name.replace("_", " ").capitalize(), name.replace("_", " ").capitalize())


def order(found: Iterable[str]) -> list[str]:
    """Families in the order of the questions above, unknown ones last."""
    known = list(KNOWN)
    return sorted(dict.fromkeys(found), key=lambda name: known.index(name) if name in known else len(known))
