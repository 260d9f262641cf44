"""Metrics of the family `integrity`: counts of outcomes, and shares of all faults."""

from spindlemark.core.metric import Better, Metric
from spindlemark.families.integrity.outcomes import DETECTED, HARMLESS, LOST, OUTCOMES, REPAIRED, SILENT

FAULTS, NOTICED, WRONG_READ = "faults_count", "noticed_count", "wrong_read_count"
_MEANINGS = {
    REPAIRED: ("Repaired", "were noticed; at the end all files are whole, and the check finds no errors"),
    DETECTED: ("Detected, not repaired", "were noticed, and files or the filesystem stay damaged"),
    HARMLESS: ("Harmless", "were not noticed, and all files are whole"),
    SILENT: ("Silent damage", "were noticed by nothing, and a file is wrong or missing"),
    LOST: ("Filesystem lost", "leave a filesystem that cannot be mounted, also after the repair"),
}
_SHARES: dict[str, tuple[str, str, Better, str]] = {
    "intact_ratio": (
        "Intact",
        "repaired_count + harmless_count",
        "higher",
        "share of the faults after which all files are whole: repaired, or without effect",
    ),
    "honest_ratio": (
        "No silent damage",
        "repaired_count + harmless_count + detected_count + lost_count",
        "higher",
        "share of the faults that do not end in a wrong or missing file that nothing reports",
    ),
    "mountable_ratio": (
        "Mountable",
        "repaired_count + harmless_count + detected_count + silent_count",
        "higher",
        "share of the faults after which the filesystem can be mounted, if necessary after a repair",
    ),
    "noticed_ratio": (
        "Noticed",
        NOTICED,
        "higher",
        "share of the faults that mount, read, scrub or check reported; a harmless fault may stay unnoticed",
    ),
    "wrong_read_ratio": (
        "Wrong at first reading",
        WRONG_READ,
        "lower",
        "share of the faults after which the first reading of all files returned wrong files or left some out, without an error",
    ),
}


def _count(title: str, description: str) -> Metric:
    return Metric(title=title, unit="1", kind="count", better="none", description=description)


def outcome_count(outcome: str) -> str:
    """The metric that counts an outcome."""
    return f"{outcome}_count"


METRICS = {
    FAULTS: _count("Faults", "faults that were injected below the filesystem"),
    **{outcome_count(name): _count(_MEANINGS[name][0], f"faults that {_MEANINGS[name][1]}") for name in OUTCOMES},
    NOTICED: _count("Noticed faults", "faults that mount, read, scrub or check reported"),
    WRONG_READ: _count(
        "Faults with a wrong first reading",
        "faults after which the first reading returned wrong files or left some out, without an error",
    ),
    **{
        name: Metric(
            title=title,
            unit="1",
            kind="ratio",
            better=better,
            formula=f"({parts}) / {FAULTS}",
            description=description,
        )
        for name, (title, parts, better, description) in _SHARES.items()
    },
}
SHARES = tuple(_SHARES)
