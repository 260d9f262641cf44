"""Facts that earlier records lack."""

from collections.abc import Mapping
from typing import Any

SESSION = "session.id"


def session(environment: Mapping[str, Any]) -> str:
    """The session that a record names; empty in releases 2026.11 and 2026.11.1, which recorded none."""
    return str(environment.get(SESSION) or "")


def has_no_host(fingerprint: Mapping[str, Any]) -> bool:
    """Whether a fingerprint lacks the machine, as those of releases 2026.11 and 2026.11.1 do."""
    return "host" not in fingerprint


def without_host(fingerprint: Mapping[str, Any]) -> dict[str, Any]:
    """The fingerprint as releases 2026.11 and 2026.11.1 recorded it: the machine did not enter the identity."""
    return {key: value for key, value in fingerprint.items() if key != "host"}
