"""What a repetition measures, from its overload and its trials."""

from statistics import median

from spindlemark.families.http_streams import trial_result
from spindlemark.families.http_streams.trial_result import Seen
from spindlemark.families.shared.streams.search import Found
from spindlemark.harness.repetition import Repetition

_GIGABYTE = 1e9
_AT_LARGEST = (
    "startup_median_seconds",
    "startup_worst_seconds",
    "carried_for_sent_ratio",
    "viewer_cpu_ratio",
    "server_resident_bytes",
)
_THUMBNAILS = ("thumbnail_median_seconds", "thumbnail_p99_seconds")
_OVERLOADED = ("goodput_bytes_per_second", "gigabyte_cpu_seconds", "read_for_sent_ratio")


def measure(repetition: Repetition, overload: Seen, found: Found, seen: dict[int, Seen]) -> None:
    """Record the largest number of clients, and what its trial, the overload and the smallest number that failed showed.

    A metric that cannot be had is noted as absent, with the reason.
    """
    repetition.measure("viewers_sustained_count", found.sustained)
    repetition.measure("viewers_failed_count", found.failed or 0)
    if found.failed:
        repetition.measure("stalls_beyond_count", seen[found.failed].stalls)
    else:
        repetition.note({"absent.stalls_beyond_count": "no number of clients failed"})
    _measure_overload(repetition, overload)
    _measure_largest(repetition, found.sustained, seen)
    _measure_thumbnails(repetition, found, seen)


def _measure_overload(repetition: Repetition, overload: Seen) -> None:
    if overload.holds:
        why = f"all of {overload.clients} clients were fed, who were to be too many: that is their demand, and no limit"
        repetition.note({f"absent.{metric}": why for metric in _OVERLOADED})
        return
    repetition.measure("goodput_bytes_per_second", overload.goodput)
    repetition.measure("gigabyte_cpu_seconds", overload.server_cpu_seconds / (overload.received_bytes / _GIGABYTE))
    repetition.measure("read_for_sent_ratio", overload.device_bytes / overload.received_bytes)


def _measure_largest(repetition: Repetition, clients: int, seen: dict[int, Seen]) -> None:
    if not clients:
        repetition.note({f"absent.{metric}": "no number of clients held" for metric in _AT_LARGEST})
        return
    held = seen[clients]
    repetition.measure("startup_median_seconds", median(held.startup))
    repetition.measure("startup_worst_seconds", max(held.startup))
    repetition.measure("carried_for_sent_ratio", held.carried_bytes / held.received_bytes)
    repetition.measure("viewer_cpu_ratio", held.load.server_cpu_share / clients)
    repetition.measure("server_resident_bytes", held.load.server_resident_bytes)


def _measure_thumbnails(repetition: Repetition, found: Found, seen: dict[int, Seen]) -> None:
    if found.sustained and (waits := seen[found.sustained].thumbnails):
        repetition.measure("thumbnail_median_seconds", median(waits))
        repetition.measure("thumbnail_p99_seconds", trial_result.p99(waits))
    else:
        why = "no number of clients held" if repetition.factors["thumbnails"] else "no thumbnails were requested"
        repetition.note({f"absent.{metric}": why for metric in _THUMBNAILS})
