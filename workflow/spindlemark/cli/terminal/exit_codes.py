"""How a command of the command line ends: what is told of an error or an interrupt, and the exit code."""

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


@contextmanager
def exits() -> Iterator[None]:
    """Exit codes: 0 done, 1 something broke or was set aside, 2 the user can mend it, 130 interrupted."""
    signal.signal(signal.SIGTERM, _interrupted)
    signal.signal(signal.SIGHUP, _interrupted)
    complain = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
    try:
        yield
    except (UserError, OSError) as error:
        told = as_user_error(error)
        if told is None:
            raise
        complain.print(f"error: {told}", style="bold red")
        sys.exit(2)
    except (WorkflowError, NotMeasuredError) as error:
        complain.print(plain(str(error)))
        sys.exit(1)
    except (KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit) and end.code != INTERRUPTED:  # which is what typer makes of Ctrl-C
            raise
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an impatient second one would end this in a traceback
        complain.print(_stopped())
        sys.exit(INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ownership.give_back()


def _stopped() -> str:
    """What is kept of an interrupted run, and how to go on."""
    try:
        planned = plan.read_or_none()
        if planned is None:
            return "Stopped. Nothing was measured yet."
        wanted = sum(len(each.records) for each in planned.experiments)
        kept = wanted - len(pending.missing(planned, everything=True))
    except UserError as error:
        return f"Stopped. What was measured is kept; it cannot be counted: {error}"
    return (
        f"Stopped. {kept} of {wanted} repetitions are measured and kept; the same command goes on from here.\n"
        "Publish what there is with: ./spindlemark site"
    )


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt
