"""Findings of format 2: keys with earlier terms, names that were joined, and what only a sentence said."""

from collections.abc import Iterator

from spindlemark.core.migrations.upgrades import Content, rename, step


@step("findings", 2)
def _parts_of_joined_names(old: Content) -> Content:
    """Releases 2026.11.2 to 2026.11.6: only joined names contained what a group shares and the name of each."""
    for group in old["groups"]:
        group["library_parts"] = _split(group["library"])
    for each in old.get("contrasts", []):
        slugs, same = each.get("slugs", {}), each["same"]
        each["same_parts"] = _split(same)
        each["slug_parts"] = {name: _split(slug) for name, slug in slugs.items()}
        if not slugs:  # releases without labels for it
            each["beside"] = same.removesuffix(each["library"]).rstrip("-") or same
    return old


@step("findings", 2)
def _terms(old: Content) -> Content:
    """Releases 2026.11 to 2026.11.6: the keys were `subject`, `contenders` and others."""
    for group in old["groups"]:
        rename(group, {"configurations": "settings", "subjects": "configurations", "contenders": "candidates"})
        for named in (*group.get("observations", []), *group["absent"], *_cells(group)):
            rename(named, {"subject": "configuration"})
        if advice := group["recommendation"]:
            for option in advice["options"]:
                rename(option, {"configuration": "settings", "subject": "configuration"})
            for data in ("draws", "weighing", "sessions"):
                rename(advice.get(data) or {}, {"subjects": "configurations", "undecided": "inconclusive"})
    for each in old.get("contrasts", []):
        rename(each, {"beside": "same_title"})
        for row in each["rows"]:
            rename(row, {"subject": "configuration"})
    return old


_ALL_HELD = "All of them held at the largest number that was tried"


@step("findings", 2)
def _capped(old: Content) -> Content:
    """Releases 2026.11.2 to 2026.11.6: only a sentence said that a search has to go further."""
    for group in old["groups"]:
        if advice := group["recommendation"]:
            advice["capped"] = any(_ALL_HELD in statement for statement in advice["statements"])
    return old


def _cells(group: Content) -> Iterator[Content]:
    return (cell for table in group["metrics"] for cell in table["cells"])


def _split(name: str) -> list[str]:
    return name.split("--") if name else []
