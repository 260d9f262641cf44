"""Addresses of pages, relative to the root of their version; one place decides them all."""

import re
from collections import Counter

from spindlemark.findings.report import Findings, Group
from spindlemark.publish.query import Key, Row


def slug(text: str) -> str:
    """Text that is safe in a path and in an address: letters, digits, dot, hyphen and underscore."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-")


def experiments(records: dict[Key, list[Row]]) -> dict[Key, str]:
    """Address of each experiment's page: `experiment/<testbed>/<experiment>/`, plus the identity where two share it."""
    plain = {key: f"experiment/{slug(found[0]['testbed'])}/{slug(key[0])}" for key, found in records.items()}
    uses = Counter(plain.values())
    return {key: f"{path}/" if uses[path] == 1 else f"{path}--{key[1]}/" for key, path in plain.items()}


def libraries(findings: Findings) -> dict[str, str]:
    """group -> address of its page: `library/<library>/`, or with the group's name where a library has several."""
    uses = Counter(group.library for group in findings.groups)
    return {g.group: f"library/{slug(g.library if uses[g.library] == 1 else g.group)}/" for g in findings.groups}


def metric(name: str, first: str) -> str:
    """Address of a metric's comparison; the first metric is what `compare/` itself shows."""
    return "compare/" if name == first else f"compare/{slug(name)}/"


def raw(row: Row) -> str:
    """Where the untouched record of a repetition is offered, as in `data/raw/`."""
    parts = (row["testbed"], row["family"], row["experiment"], row["identity"])
    return "raw/" + "/".join(slug(str(p)) for p in parts) + f"/rep-{row['repetition']}.json"


def group_title(group: Group, titles: dict[str, str], several_testbeds: bool) -> str:
    """What readers call a group: the library's title, with the testbed where there are several."""
    title = titles.get(group.library, group.library)
    return f"{title} on {group.testbed}" if several_testbeds else title
