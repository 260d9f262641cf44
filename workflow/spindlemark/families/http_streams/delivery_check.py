"""The server's access log compared with the bytes that clients received."""

from collections import Counter
from collections.abc import Iterable

from spindlemark.families.http_streams.http_trial import Transfer
from spindlemark.families.http_streams.web_servers import Answered
from spindlemark.harness.repetition import Repetition


def require(repetition: Repetition, answered: Iterable[Answered], transfers: Iterable[Transfer], counts: str) -> None:
    """The gate `delivered`: every complete response is in the log with the same number of bytes; raises Invalid.

    Responses that the end of a trial cut off are not compared: nginx does not count the piece that a thread is sending.
    """
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
        "bytes of whole answers that the server's log has as the viewers got them",
        whole=True,
    )
