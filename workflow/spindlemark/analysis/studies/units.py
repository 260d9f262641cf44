"""Units as studies print them, and what one of each is in the units of the long table (s, B, 1, B/s, 1/s)."""

import re

_SECOND = {"s": 1.0, "min": 60.0}
_BYTE = (
    {"B": 1.0}
    | {f"{p}B": 1000.0**n for n, p in enumerate("kMGTPE", 1)}
    | {f"{p}iB": 1024.0**n for n, p in enumerate("KMGTPE", 1)}
)
_ONE = {"1": 1.0, "%": 0.01}
_RATE = {f"{name}/s": factor for name, factor in _BYTE.items()} | {
    "bit/s": 0.125,
    "kbit/s": 125.0,
    "Mbit/s": 125e3,
    "Gbit/s": 125e6,
    "GB/h": 1e9 / 3600,
    "1024 MB/h": 1024e6 / 3600,
}
_FREQUENCY = {"1/s": 1.0}

UNITS: dict[str, tuple[str, float]] = {
    name: (base, factor)
    for base, table in (("s", _SECOND), ("B", _BYTE), ("1", _ONE), ("B/s", _RATE), ("1/s", _FREQUENCY))
    for name, factor in table.items()
}

# Spellings that mean the unit beyond doubt. Any other difference between printed and meant unit needs a reason.
SPELLINGS = {
    "seconds": "s",
    "sec": "s",
    "minutes": "min",
    "bytes": "B",
    "Mbps": "Mbit/s",
    "Mbits/sec": "Mbit/s",
    "Kbits/sec": "kbit/s",
    "Mb/s": "Mbit/s",
    "Gb/s": "Gbit/s",
    "MBytes/sec": "MB/s",
    "KB": "kB",
    "K/sec": "KiB/s",
    "/sec": "1/s",
    "GB/hr": "GB/h",
    "x": "1",
    "frames": "1",
    "pixels": "1",
    "none": "1",
}

_ENDINGS = (
    ("_bytes_per_second", "B/s"),
    ("_per_second", "1/s"),
    ("_seconds", "s"),
    ("_bytes", "B"),
    ("_per_100_mb", "1"),
    ("_count", "1"),
    ("_ratio", "1"),
)
_NUMBER = re.compile(r"-?\d+(?:\.(\d+))?")


def unit_of(metric: str) -> str | None:
    """Unit that the name of a metric ends in, None when it ends in none."""
    return next((unit for ending, unit in _ENDINGS if metric.endswith(ending)), None)


def same(printed: str, meant: str) -> bool:
    """Whether a printed unit and a unit of `UNITS` are the same thing."""
    return SPELLINGS.get(printed, printed) == meant


def number(text: str) -> tuple[float, int] | None:
    """Value and count of printed decimals of `text` (thousands separators allowed), None when it is not a number."""
    found = _NUMBER.fullmatch(text.strip().replace(",", ""))
    return (float(found[0]), len(found[1] or "")) if found else None


def value(text: str) -> float:
    """Return the value of a printed number; raise ValueError when `text` is not one."""
    parsed = number(text)
    if parsed is None:
        raise ValueError(f"{text!r} is not a number")
    return parsed[0]


def duration(text: str) -> tuple[float, int] | None:
    """Seconds of minutes and seconds printed as 56' 30" (seconds may be missing), None for anything else."""
    found = re.fullmatch(r"(\d+)'\s*(?:(\d+)[\"”])?", text.strip())
    return (60.0 * int(found[1]) + int(found[2] or 0), 0) if found else None
