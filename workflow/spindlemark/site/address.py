"""Addresses of all pages, relative to the root of their version."""

from collections import Counter

from spindlemark.analysis.findings.model import Findings
from spindlemark.core.declared import LIBRARIES
from spindlemark.core.slug import slug
from spindlemark.site.query import Key, Row

# Pages of this family have short addresses, as in every release since the first.
FIRST = LIBRARIES
FIRST_TESTBED = "loop"
KERNEL = "kernel/"


def family(name: str) -> str:
    """Address of a family's page: library types for the first one, a question for each other."""
    return "library/" if name == FIRST else f"question/{slug(name).replace('_', '-')}/"


def experiment_folder(testbed: str, family_name: str) -> str:
    """Folder of the pages of a family's experiments on a testbed."""
    return f"experiment/{slug(testbed)}/" + ("" if family_name == FIRST else f"{slug(family_name)}/")


def experiments(records: dict[Key, list[Row]]) -> dict[Key, str]:
    """Address of each experiment's page: its folder and its name, plus the identity where two share it.

    In lower case, as Hugo writes pages and as filesystems that ignore case need.
    """
    plain = {
        key: (experiment_folder(found[0]["testbed"], found[0]["family"]) + slug(key[0])).lower()
        for key, found in records.items()
    }
    uses = Counter(plain.values())
    return {key: f"{path}/" if uses[path] == 1 else f"{path}--{key[1]}/" for key, path in plain.items()}


def groups(findings: Findings) -> dict[str, str]:
    """Group -> address of its page below its family's: its workload, or its full name if another group has that address.

    Of groups with the same workload, the first on the testbed `loop` has the short address, otherwise the first of all.
    Later results of other testbeds do not change it.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for group in sorted(findings.groups, key=lambda g: g.testbed != FIRST_TESTBED):
        path = f"{family(group.family)}{slug(group.library) or slug(group.testbed)}/".lower()
        if path in taken:
            path = f"{family(group.family)}{slug(group.group)}/".lower()
        taken.add(path)
        found[group.group] = path
    return found


def metric(name: str) -> str:
    """Address of all results of a metric."""
    return f"explore/?metric={slug(name)}"


def columns(name: str) -> str:
    """Address of the file with all results of a metric."""
    return f"explore/{slug(name)}.json.gz"
