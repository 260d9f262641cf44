"""Checks of the values that a set chose for a family's own factors."""

from collections.abc import Collection, Mapping

from spindlemark.core.errors import UserError


def require_known(chosen: Mapping[str, str], known: Mapping[str, Collection[str]], family: str) -> None:
    """Raise UserError naming file and key unless `chosen` has one of the `known` values of each of a family's factors."""
    where = f"config/experiments/{family}.yaml: sets: factors"
    for key in (*known, *(chosen.keys() - known.keys())):
        if key not in known:
            raise UserError(f"{where}: {key}: the family has no such factor", f"there are: {', '.join(known)}")
        if chosen.get(key) not in known[key]:
            raise UserError(f"{where}: {key}: there is no {chosen.get(key)!r}", f"use {', '.join(known[key])}")
