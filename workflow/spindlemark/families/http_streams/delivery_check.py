"""The server's access log compared with the bytes that clients received."""

from collections import Counter
from collections.abc import Iterable

from spindlemark.families.http_streams.http_trial import Transfer
from spindlemark.families.http_streams.web_servers import Answered
from spindlemark.harness.repetition import Repetition


def require(repetition: Repetition, answered: Iterable[Answered], transfers: Iterable[Transfer], counts: str) -> None:
    """The gates `completeness`, every request is in the log, and `delivered`, every complete response has the same bytes there.

    Bytes of responses that the end of a trial cut off are not compared: nginx does not count the piece that a thread is
    sending. Raises Invalid.
    """
    answered, transfers = list(answered), list(transfers)
    lines = Counter(line.path for line in answered)
    requested = Counter(path for path, total, _, _ in transfers if total)
    there = sum(min(times, lines[path]) for path, times in requested.items())
    repetition.require(
        "completeness",
        there == requested.total(),
        there,
        requested.total(),
        "1",
        "requests with an answer that the server's log has",
        whole=True,
    )
    logged = Counter((line.path, line.bytes) for line in answered)
    whole = Counter((path, total if counts == "all" else body) for path, total, body, complete in transfers if complete)
    found = sum(size * min(times, logged[path, size]) for (path, size), times in whole.items())
    wanted = sum(size * times for (_, size), times in whole.items())
    repetition.require(
        "delivered",
        found == wanted,
        found,
        wanted,
        "B",
        "bytes of whole answers that the server's log has as the clients got them",
        whole=True,
    )
