"""Calls of the workflow: run Snakemake, show its progress, stop it at the end of the budget, and clean up."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from spindlemark.cli import progress
from spindlemark.cli.budget import Budget
from spindlemark.cli.failures import Failures
from spindlemark.cli.snakemake_process import Engine
from spindlemark.core import paths
from spindlemark.core.errors import WorkflowError, find_in_log
from spindlemark.core.process import programs

_KEEP = {False: ("--keep-memory",), True: ()}


def publish(console: Console, target: str = "site") -> None:
    """Build the site, or another target, from existing results, without using a device."""
    workflow = Engine({"measure": "false"}, [target])
    follow(workflow, progress.Watch([], 0.0), console, Failures())


def follow(
    workflow: Engine,
    watch: progress.Watch,
    console: Console,
    failures: Failures,
    budget: Budget | None = None,
    reserved: float = 0.0,
) -> bool:
    """Run the workflow until it ends, the budget has at most `reserved` seconds, or a testbed is skipped.

    Returns whether the budget ended first. Raises what `Engine.wait` raises, unless `failures` list what was not measured.
    """
    before = failures.count()

    def goes_on() -> bool:
        if budget:
            budget.update(workflow.measuring() and not progress.waiting(workflow))
        over = budget is not None and budget.left <= reserved
        return workflow.running() and not (over or failures.stop or workflow.user_errors())

    workflow.start()
    try:
        progress.follow(workflow, watch, console, goes_on, failures)
        if workflow.running():
            return _stop(workflow, failures)
        try:
            failures.take(workflow.wait())
        except WorkflowError:
            if before == failures.count():
                raise  # else jobs failed in the ways that `failures` list
    except BaseException:
        workflow.interrupt()
        raise
    finally:
        workflow.remove_temporary()
        if budget:
            budget.update(False)
    return False


def _stop(workflow: Engine, failures: Failures) -> bool:
    """Stop the workflow; returns whether the budget is the reason. Raises the first user error that it reported."""
    workflow.interrupt()
    failures.take(workflow.news())
    if errors := workflow.user_errors():
        raise errors[0]
    return not failures.stop


@contextmanager
def cleaned(console: Console, last: bool = True) -> Iterator[None]:
    """Clean up at the end, and leave free memory resident unless it is the `last` time.

    A stop by the user cleans up the last time only, without a long wait for another project that measures.
    """
    try:
        yield
    except Exception:
        clean(console, *_KEEP[last])
        raise
    except BaseException:
        if last:
            clean(console, "--within", "1")
        raise
    clean(console, *_KEEP[last])


def clean(console: Console, *options: str) -> None:
    """Remove temporary data of measurements from memory and disk; waits for a job that is still ending."""
    with progress.activity(console, "cleaning up"):
        done = programs.run(
            [*programs.PYTHON, "-m", "spindlemark.measure", "--clean", *options],
            cwd=paths.ROOT,
            text=True,
            stdout=programs.DEVNULL,
            stderr=programs.PIPE,
        )
    if done.returncode:
        reason = next(iter(find_in_log(done.stderr)), f"exit code {done.returncode}")
        console.print(f"The clean-up is incomplete; the next run repeats it: {reason}", markup=False)
