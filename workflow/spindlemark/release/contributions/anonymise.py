"""Remove what may identify a person or a machine from records before an export.

Factors and fingerprints stay, since identities are their hashes; `remaining` lists the known names in them.
"""

import os
import pwd
import re
import socket
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from spindlemark.core.paths import ROOT
from spindlemark.core.record import Record

# Facts about the place of a machine that do not explain its speed.
DROPPED = ("session.boot", "timezone", "host.timezone")
_SERIALS = (
    "/sys/block/*/device/serial",
    "/sys/block/*/serial",
    "/sys/block/*/device/wwid",
    "/sys/block/*/wwid",
    "/sys/class/dmi/id/*serial",
    "/sys/class/dmi/id/product_uuid",
    "/sys/class/net/*/address",
)
_SHORT = 200  # characters of a text whose check is remembered
_SHORTEST = 4  # characters of a name or serial number; shorter ones also occur as ordinary words
_COMMON = {
    "root",
    "localhost",
    "user",
    "debian",
    "ubuntu",
    "fedora",
    "linux",
    "none",
    "spindlemark",
    "00:00:00:00:00:00",
}
_BELOW = r"(?:/[^\s\"'\\:;,()\[\]<>|]*)?"  # the rest of a path
PATTERNS: dict[str, re.Pattern[str]] = {
    "e-mail address": re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{2,64})+"),
    "path of a person or place": re.compile(rf"(?<![\w.+/=-])/(?:home|Users|mnt|media|srv|opt|root){_BELOW}(?![\w-])"),
    "hardware address": re.compile(r"(?<![\w:])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?![\w:])"),
    "UUID": re.compile(r"(?<![\w-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![\w-])"),
    "serial number": re.compile(r"(?i)\b(?:serial(?: ?number| ?no\.?)?|wwn|wwid)\s*[:=]\s*\"?[\w.-]+\"?"),
    "public address": re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w.-])"),
}


@dataclass
class Scrubber:
    """Remove matches of `PATTERNS` and the names in `known` (name -> its kind), and count them in `removed` by kind."""

    known: Mapping[str, str] = field(default_factory=dict)
    removed: Counter[str] = field(default_factory=Counter)

    def record(self, record: Record) -> Record:
        """Return the record without personal data; its identity stays."""
        kept = {name: value for name, value in record.environment.items() if name not in DROPPED}
        self.removed["fact about its place"] += len(record.environment) - len(kept)
        parts = record.model_dump(mode="json", include={"reason", "commands", "validity", "attachments"})
        found = {name: self._tree(part) for name, part in (parts | {"environment": kept}).items()}
        return Record.model_validate(record.model_dump(mode="json") | found)

    def text(self, text: str) -> str:
        """Return a text without personal data."""
        for what, found in self._patterns:
            text = found.sub(self._replacing(what), text)
        return text

    @cached_property
    def _patterns(self) -> list[tuple[str, re.Pattern[str]]]:
        """List patterns before known names, which occur in paths and addresses, and longer names before shorter ones."""
        found = list(PATTERNS.items())
        for what in dict.fromkeys(self.known.values()):
            names = sorted((n for n, kind in self.known.items() if kind == what), key=len, reverse=True)
            found.append((what, re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, names))})(?![A-Za-z0-9])")))
        return found

    def _replacing(self, what: str) -> Callable[[re.Match[str]], str]:
        def replaced(match: re.Match[str]) -> str:
            if what == "public address" and not _is_public(match[0]):
                return match[0]
            self.removed[what] += 1
            return f"[{what}]"

        return replaced

    def _tree(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self._tree(each) for key, each in value.items()}
        return [self._tree(each) for each in value] if isinstance(value, list) else value


def names_here() -> dict[str, str]:
    """Return names of this machine and its users, and its serial numbers: name -> its kind."""
    people = {entry.pw_name for entry in pwd.getpwall() if 1000 <= entry.pw_uid < 60000}
    people |= {entry.pw_gecos.split(",")[0] for entry in pwd.getpwall() if 1000 <= entry.pw_uid < 60000}
    people |= {os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
    hosts = {socket.gethostname(), socket.gethostname().partition(".")[0]}
    found = {str(ROOT): "folder of the project"}
    found |= dict.fromkeys(people, "name of a user") | dict.fromkeys(hosts, "name of the machine")
    for pattern in _SERIALS:
        found |= dict.fromkeys(filter(None, map(_read, Path("/").glob(pattern[1:]))), "serial number")
    return {name: what for name, what in found.items() if len(name) >= _SHORTEST and name.lower() not in _COMMON}


def remaining(record: Record, known: Mapping[str, str]) -> set[str]:
    """Return the kinds of names that stay in a record because its identity is a hash of them."""
    hashed = record.experiment.model_dump_json()
    scrubber = Scrubber({name: what for name, what in known.items() if what != "folder of the project"})
    scrubber.text(hashed)
    return {what for what, times in scrubber.removed.items() if times}


def found_in(text: str) -> str | None:
    """Return the kind of the first personal data in a text, or None."""
    return _found_in_short(text) if len(text) <= _SHORT else _found_in(text)


@lru_cache(maxsize=1 << 16)  # names of steps, units and states are in a record thousands of times
def _found_in_short(text: str) -> str | None:
    return _found_in(text)


def _found_in(text: str) -> str | None:
    scrubber = Scrubber()
    scrubber.text(text)
    return next(iter(scrubber.removed), None)


def _is_public(text: str) -> bool:
    try:
        return ip_address(text).is_global
    except ValueError:
        return False


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
