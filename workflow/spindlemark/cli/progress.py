"""Progress of a running command: a bar on a terminal, otherwise a line at regular intervals."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from spindlemark.cli.failures import Failures
from spindlemark.cli.snakemake_process import Engine
from spindlemark.core import paths
from spindlemark.core import running as noted
from spindlemark.measure.pending import Job

POLL_SECONDS = 0.5
SILENCE_SECONDS = 15.0  # longest time without a line if there is no terminal
LOOK_AHEAD = 64  # results appear in plan order, so only the next ones are checked
# Rule -> description; the driver reports the steps of a measurement.
_ACTIVITIES = {
    "plan": "planning",
    "trial": "trying the testbeds",
    "database": "gathering the results",
    "audit": "auditing the studies",
    "published": "reading the studies",
    "findings": "comparing",
    "analyse_contribution": "reading the contributions",
    "gather": "comparing the machines",
    "crate": "packing the releases",
    "sql_engine": "fetching the SQL engine",
    "vega": "bundling the charts' script",
    "versions": "checking the releases",
    "pages": "writing the pages",
    "charts": "writing the charts of the report",
    "html": "rendering the pages",
    "archived": "packing the older versions",
    "assemble": "putting the site together",
    "assemble_deployed": "putting the site together",
    "release": "freezing the release",
}


class Watch:
    """Count the results of `jobs` as they appear."""

    def __init__(self, jobs: list[Job], expected_seconds: float) -> None:
        self._pending = list(jobs)
        self.total = len(jobs)
        self._expected = expected_seconds
        self._begun: float | None = None

    def begin(self) -> None:
        """Note that the first repetition runs; the time before it does not count for the estimate."""
        self._begun = self._begun or time.monotonic()

    def poll(self) -> list[Job]:
        """The jobs that finished since the last call."""
        head = self._pending[:LOOK_AHEAD]
        done = [job for job in head if (paths.ROOT / job.record).exists()]
        self._pending = [job for job in self._pending if job not in done] if done else self._pending
        return done

    def drop(self, testbeds: set[str]) -> None:
        """Expect no more results of these testbeds."""
        left = [job for job in self._pending if job.experiment.testbed not in testbeds]
        self.total -= len(self._pending) - len(left)
        self._pending = left

    @property
    def done(self) -> int:
        """Number of finished jobs."""
        return self.total - len(self._pending)

    def remaining(self) -> float:
        """Expected seconds to the end, from the pace of this run; before its first result, from the plan's estimate."""
        elapsed = time.monotonic() - self._begun if self._begun else 0.0
        if self._pending and self.done == 0:
            return max(0.0, self._expected - elapsed)
        return elapsed / self.done * len(self._pending) if self._pending else 0.0


def current_activity(engine: Engine) -> str:
    """What the workflow is doing: the step that the driver reports, or a description of the rule."""
    rule, now = engine.rule(), noted.alive()
    if rule == "trial":
        return f"{_ACTIVITIES[rule]}: {now.step}" if now else _ACTIVITIES[rule]
    if rule.startswith("measure_"):
        if now:
            return f"{now.experiment} #{now.repetition} {now.step}"
        return "waiting for another measurement on this machine" if waiting(engine) else "measuring"
    return _ACTIVITIES.get(rule, rule or "reading the rules")


def waiting(engine: Engine) -> bool:
    """Whether this project waits for another one that measures on this machine."""
    return noted.alive() is None and engine.waiting()


def follow(
    engine: Engine, watch: Watch, console: Console, alive: Callable[[], bool], failures: Failures | None = None
) -> None:
    """Show progress until `alive` returns false, and report skipped testbeds at once."""
    failures = failures or Failures()
    columns = [
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.description}", markup=False),
    ]
    printed = time.monotonic()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=watch.total, left="")
        while alive():
            lines = [*_news(engine, watch, failures), *_results(watch, console)]
            now, left = current_activity(engine), ""
            if engine.measuring():
                watch.begin()
            if watch.total > watch.done:
                left = f"about {duration(watch.remaining())} left"
            if not console.is_terminal and not lines and time.monotonic() - printed > SILENCE_SECONDS:
                counted = f"{watch.done}/{watch.total}" if watch.total else ""
                lines = [", ".join(part for part in (counted, now, left) if part)]
            for line in lines:
                console.print(line, highlight=False, markup=False, soft_wrap=True)
                printed = time.monotonic()
            bar.update(task, completed=watch.done, total=watch.total, description=now, left=left)
            time.sleep(POLL_SECONDS)
        for line in [*_news(engine, watch, failures), *_results(watch, console)]:
            console.print(line, highlight=False, markup=False, soft_wrap=True)


def _results(watch: Watch, console: Console) -> list[str]:
    """A line per finished job; none on a terminal, where the bar shows them."""
    done = watch.poll()
    first = watch.done - len(done)
    return (
        []
        if console.is_terminal
        else [
            f"{first + place}/{watch.total} {job.experiment.experiment} #{job.repetition}"
            for place, job in enumerate(done, 1)
        ]
    )


def _news(engine: Engine, watch: Watch, failures: Failures) -> list[str]:
    """Lines about failures that trials and jobs reported since the last call."""
    lines = failures.take(engine.news())
    watch.drop(set(failures.skipped))
    return lines


@contextmanager
def activity(console: Console, what: str) -> Iterator[None]:
    """Report an activity while the context lasts: at once on a terminal, otherwise at regular intervals."""
    if console.is_terminal:
        with console.status(escape(what)):
            yield
        return
    ended, begun = Event(), time.monotonic()

    def report() -> None:
        while not ended.wait(SILENCE_SECONDS):
            console.print(f"{what}, {duration(time.monotonic() - begun)} so far", highlight=False, markup=False)

    thread = Thread(target=report, name="activity", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def duration(seconds: float) -> str:
    """`seconds` in one or two units, for example 3 min 20 s."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 90:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
