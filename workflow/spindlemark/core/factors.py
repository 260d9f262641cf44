"""Factor values by their dotted names, such as library.name."""

from collections.abc import Mapping
from typing import Any


def value(factors: Mapping[str, Any], name: str) -> Any:
    """The value of a factor in nested `factors`, or in ones whose names have dots; None if there is none."""
    if name in factors:
        return factors[name]
    found: Any = factors
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
