"""What is changed about Snakemake's scheduler: it must not work beside a measurement."""

from importlib.metadata import version

from spindlemark.core.errors import UserError

TIMER = "_schedule_reevalutation"  # spelt as there


def stop_timer(scheduler: type) -> None:
    """Let Snakemake's job `scheduler` set no timers; raises UserError where it has none of the known name.

    With a limit on job starts Snakemake 9.27 sets a timer at each look for jobs, and each timer makes it look and set
    another: after two hundred jobs that keeps a processor busy. The profile's limit is never reached, so there is nothing to
    look for until a job has ended.
    """
    if not callable(getattr(scheduler, TIMER, None)):
        raise UserError(
            f"Snakemake {version('snakemake')} has no {scheduler.__name__}.{TIMER}, a timer that must not run beside a "
            "measurement",
            "use the version of pyproject.toml, or see workflow/spindlemark/cli/scheduling.py",
        )
    setattr(scheduler, TIMER, lambda self, delay: None)
