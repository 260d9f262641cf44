"""What the server's access log says against what the viewers got."""

from collections import Counter
from collections.abc import Iterable

from spindlemark.families.http_streams.http_trial import Transfer
from spindlemark.families.http_streams.web_servers import Answered
from spindlemark.harness.repetition import Repetition


def require(repetition: Repetition, answered: Iterable[Answered], transfers: Iterable[Transfer], counts: str) -> None:
    """The gate `delivered`: every answer that came whole stands in the log with as many bytes; raises Invalid.

    What the end of a trial cut off is not compared: nginx does not count the piece that a thread of its is just sending.
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
