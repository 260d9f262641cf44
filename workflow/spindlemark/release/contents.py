"""Which files a release has: nothing else is frozen, accepted from elsewhere or shown on the site."""

import re
from collections import Counter
from collections.abc import Iterable

TABLES = {
    "repetitions": "record",
    "measurements": "measurement",
    "factors": "factor",
    "environment": "environment",
    "commands": "command",
    "validity": "validity",
    "claims": "claim",
}
NAME = r"[A-Za-z0-9][A-Za-z0-9._+@-]*"  # of a testbed, family, experiment or declaration
KNOWN = re.compile(
    "|".join(
        (
            r"README\.md",
            r"findings\.json",
            r"joined\.json",
            rf"joined/{NAME}\.zip",
            r"CITATION\.cff",
            r"citation\.(?:bib|ris|csl\.json|datacite\.json)",
            rf"(?:{'|'.join(TABLES)})\.(?:parquet|csv)",
            r"code\.zip",
            r"envs/kernels\.yaml",
            rf"config/(?:(?:experiments|profiles|questions|testbeds)/)?{NAME}\.yaml",
            rf"records/{NAME}/{NAME}/{NAME}/[0-9a-f]{{12}}/(?:spec|rep-[1-9][0-9]*)\.json",
        )
    )
)
LONGEST = 1024  # characters of a path: what every filesystem can hold with the folders above it


def is_known(path: str) -> bool:
    """Whether a release may hold a file of this path, relative to its folder."""
    return len(path) <= LONGEST and KNOWN.fullmatch(path) is not None


def problem(paths: Iterable[str]) -> str | None:
    """What is wrong with a list of a release's files, or None: an unknown name, or two that are one elsewhere."""
    folded: Counter[str] = Counter()
    for path in paths:
        if not is_known(path):
            return f"{path[:LONGEST]!r} is no file of a release"
        folded[path.casefold()] += 1
        if folded[path.casefold()] > 1:
            return f"{path!r} is listed twice, where upper and lower case are one"
    return None
