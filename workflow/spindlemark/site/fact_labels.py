"""Facts of records as readers see them: groups with titles, names in words, values with units. The raw record has the fields' names."""

import json
import re
import shlex
from typing import Any

from spindlemark.analysis.format import MISSING, number
from spindlemark.site import conditions

Page = dict[str, Any]
# First part of a field's name -> title of its group, in the order of the page.
TITLES = {
    "machine": "Machine",
    "virtualisation": "Machine",
    "cpu": "Processor",
    "memory": "Memory",
    "numa": "Memory",
    "swap": "Memory",
    "device": "Device",
    "backing": "Disk that holds the device",
    "filesystem": "Filesystem",
    "link": "Network link",
    "kernel": "Kernel",
    "sysctl": "Kernel settings",
    "distribution": "System",
    "init": "System",
    "libc": "System",
    "locale": "System",
    "clock": "System",
    "cgroup": "Limits of the process",
    "process": "Limits of the process",
    "user": "Limits of the process",
    "project": "Spindlemark and Python",
    "python": "Spindlemark and Python",
    "tool": "Other tools",
    "session": "Session",
    "run": "Session",
    "before": "Before the measurement",
    "after": "After the measurement",
    "host": "Host of the virtual machine",
    "absent": "Metrics without a value",
}
OTHER = "This experiment"
# End of a field's name -> unit of its value, and its factor.
UNITS = {
    "_bytes_per_second": ("B/s", 1.0),
    "_bits_per_second": ("bit/s", 1.0),
    "_bytes": ("B", 1.0),
    ".bytes": ("B", 1.0),
    "_kb": ("B", 1024.0),
    "_seconds": ("s", 1.0),
    "_centisecs": ("s", 0.01),
    "_percent": ("%", 1.0),
}


def grouped(facts: dict[str, list[str]]) -> list[Page]:
    """Groups of facts with their title; those of the experiment itself come first. A fact may have several values."""
    groups: dict[str, list[Page]] = {title: [] for title in (OTHER, *TITLES.values())}
    for name, values in facts.items():
        title = TITLES.get(name.split(".")[0], OTHER)
        shown = [fact(name, value, within=title != OTHER) for value in values]
        groups[title].append(shown[0] | {"value": ", ".join(one["value"] for one in shown)})
    return [{"title": title, "facts": found} for title, found in groups.items() if found]


def fact(name: str, value: str | None, within: bool = False) -> Page:
    """Name and value for readers; `within` a group of its title, the first part of the name is left out."""
    if name == "memory" and value and value.isdigit():
        return {"name": "memory of the commands", "value": conditions.plain_value(name, int(value))}
    end = next((end for end in UNITS if name.endswith(end)), "")
    parts = name.removesuffix(end if end.startswith("_") else "").split(".")
    parts = parts[1:] if within and len(parts) > 1 else parts
    return {"name": ": ".join(parts).replace("_", " "), "value": _value(value, *UNITS.get(end, ("", 1.0)))}


def _value(value: str | None, unit: str, factor: float) -> str:
    if not value or value == "None":
        return MISSING
    if value.startswith("["):
        return _words(value)
    if not unit or not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?", value):
        return {"true": "yes", "false": "no"}.get(value.lower(), value)
    return number(float(value) * factor, unit)


def _words(value: str) -> str:
    """A list of words, as a command line; any other list as it is."""
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return (shlex.join(found) if found else MISSING) if all(isinstance(word, str) for word in found) else value
