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
        description="replace the damaged bytes from a second copy in memory or from recovery records, sync, and check the file again",
    ),
    "recovery_create_bytes_per_second": Metric(
        title="Make recovery records",
        unit="B/s",
        step="recovery_create",
        better="higher",
        description="size of the file over the time in which PAR2 reads it on cold caches, computes its records and writes them",
    ),
    "recovery_cpu_seconds": Metric(
        title="Recovery records, CPU time per GB",
        unit="s",
        work="cpu",
        better="lower",
        description="user and system time of PAR2 for each GB (10^9 bytes) of files",
    ),
    "recovery_ratio": Metric(
        title="Recovery records, size",
        unit="1",
        kind="ratio",
        better="lower",
        description="size of the recovery records over that of the file",
    ),
}
