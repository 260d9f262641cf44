"""Sessions on pages: the day on which one began, because its name means nothing to a reader."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date

_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(\w+)")


def titles(sessions: Iterable[str]) -> dict[str, str]:
    """Session -> its day; with its mark too where several began on one day. A name without a day stays as it is."""
    known = {name: found for name in sessions if (found := _NAME.fullmatch(name))}
    days = Counter(found[1] for found in known.values())
    return {name: _day(found[1]) + f" ({found[2]})" * (days[found[1]] > 1) for name, found in known.items()}


def _day(text: str) -> str:
    """An ISO date in words; a contribution may have one that no calendar has."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return text
    return f"{found.day} {found:%B %Y}"
