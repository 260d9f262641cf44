"""Valid names of the files and records of a release; no others are frozen, accepted or shown on the site."""

import re
from collections import Counter
from collections.abc import Callable, Iterable

TABLES = {
    "repetitions": "record",
    "measurements": "measurement",
    "factors": "factor",
    "environment": "environment",
    "commands": "command",
    "validity": "validity",
    "claims": "claim",
}
PACKAGES = ("envs/kernels.yaml", "envs/zfs.yaml")  # of the virtual machines
NAME = r"[A-Za-z0-9][A-Za-z0-9._+@-]*"  # of a testbed, family, experiment or declaration
KNOWN = re.compile(
    "|".join(
        (
            r"README\.md",
            r"records\.parquet",
            r"findings\.json\.zst",
            r"format-1\.json\.zst",
            r"joined\.json",
            rf"joined/{NAME}\.zip",
            r"CITATION\.cff",
            r"citation\.(?:bib|ris|csl\.json|datacite\.json)",
            rf"(?:{'|'.join(TABLES)})\.parquet",
            r"workflow\.zip",
            *map(re.escape, PACKAGES),
            rf"config/(?:(?:experiments|profiles|questions|testbeds)/)?{NAME}\.yaml",
        )
    )
)
RECORD = re.compile(rf"{NAME}/{NAME}/{NAME}/[0-9a-f]{{12}}/(?:spec|rep-[1-9][0-9]*)\.json")
LONGEST = 1024  # characters of a path, short enough for every filesystem


def is_known(path: str) -> bool:
    """Whether a release may contain a file with this path, relative to its folder."""
    return len(path) <= LONGEST and KNOWN.fullmatch(path) is not None


def is_record(path: str) -> bool:
    """Whether the records file of a release may contain a spec or record with this path."""
    return len(path) <= LONGEST and RECORD.fullmatch(path) is not None


def problem(paths: Iterable[str], allowed: Callable[[str], bool] = is_known) -> str | None:
    """Describe the first name that is not allowed or differs from another only in case; None if there is none."""
    folded: Counter[str] = Counter()
    for path in paths:
        if not allowed(path):
            return f"{path[:LONGEST]!r} is not a name in a release"
        folded[path.casefold()] += 1
        if folded[path.casefold()] > 1:
            return f"{path!r} is listed twice, if upper and lower case are not distinguished"
    return None
