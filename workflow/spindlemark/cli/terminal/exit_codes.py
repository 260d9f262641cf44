"""How a command ends: the message of an error or an interrupt, and the exit code."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from spindlemark.cli.failures import NotMeasuredError
from spindlemark.core import ownership
from spindlemark.core.errors import UserError, WorkflowError, as_user_error, plain
from spindlemark.measure import pending, plan

INTERRUPTED = 130
_MEASURES = "run"  # the command whose results an interrupt keeps


@contextmanager
def exits() -> Iterator[None]:
    """Exit codes: 0 done, 1 a defect or a skipped testbed, 2 an error that the user can fix, 130 interrupted."""
    signal.signal(signal.SIGTERM, _interrupted)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup ignores it
        signal.signal(signal.SIGHUP, _interrupted)
    errors = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
    try:
        yield
    except (UserError, OSError) as error:
        fixable = as_user_error(error)
        if fixable is None:
            raise
        errors.print(f"error: {fixable}", style="bold red")
        sys.exit(2)
    except (WorkflowError, NotMeasuredError) as error:
        errors.print(plain(str(error)))
        sys.exit(1)
    except (KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit) and end.code != INTERRUPTED:  # typer ends with this code on Ctrl-C
            raise
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would end this with a traceback
        errors.print(_stopped())
        sys.exit(INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ownership.give_back()


def _stopped() -> str:
    """The message after an interrupt: how many results are kept, and how to continue."""
    if sys.argv[1:2] != [_MEASURES]:
        return "Stopped."
    try:
        planned = plan.read_or_none()
        if planned is None:
            return "Stopped. Nothing was measured yet."
        wanted = sum(len(each.records) for each in planned.experiments)
        done = wanted - len(pending.missing(planned, everything=True))
    except UserError as error:
        return f"Stopped. Finished repetitions are kept, but cannot be counted: {error}"
    return (
        f"Stopped. {done} of {wanted} repetitions are measured and kept. To continue, run the same command.\n"
        "To build the site from them, run: ./spindlemark site"
    )


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt
