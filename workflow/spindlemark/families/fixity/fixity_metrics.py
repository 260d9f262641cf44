"""Metrics of the family `fixity`."""

from spindlemark.core.metric import Metric

_PARTS = {
    "manifest": ("Manifest", "compute the checksums of all files on cold caches and write the manifest"),
    "verify": ("Fixity check", "compare all files with the manifest on cold caches"),
}


def _of(part: str, title: str, description: str) -> dict[str, Metric]:
    return {
        f"{part}_seconds": Metric(
            title=title,
            unit="s",
            step=part,
            formula=f'seconds("{part}")',
            better="lower",
            description=description,
        ),
        f"{part}_bytes_per_second": Metric(
            title=f"{title}, rate",
            unit="B/s",
            step=part,
            timed_by=f"{part}_seconds",
            formula=f"library.total / {part}_seconds",
            moves="read",
            better="higher",
            description=f"payload over {part}_seconds",
        ),
        f"{part}_cpu_seconds": Metric(
            title=f"{title}, CPU time per GB",
            unit="s",
            work="cpu",
            formula=f'cpu("{part}") * 1000000000 / library.total',
            better="lower",
            description=f"user and system time of the program for each GB (10^9 bytes): {description}",
        ),
    }


METRICS = {
    **{name: metric for part, words in _PARTS.items() for name, metric in _of(part, *words).items()},
    "repair_seconds": Metric(
        title="Repair of one file",
        unit="s",
        step="repair",
        formula='seconds("repair")',
        better="lower",
        description="copy the file from the second copy, sync, and check it again; the second copy is in memory",
    ),
}
