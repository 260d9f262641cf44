"""The progress bar: watches the plan's results appear, whoever makes them."""

import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from spindlemark import paths
from spindlemark.measure import running as noted
from spindlemark.pending import Job

POLL_SECONDS = 0.5
LOOK_AHEAD = 64  # results appear in plan order, so only the next ones need a look


class Watch:
    """Counts results of `jobs` as they appear."""

    def __init__(self, jobs: list[Job], expected_seconds: float) -> None:
        self._pending = list(jobs)
        self.total = len(jobs)
        self._expected = expected_seconds
        self._begun = time.monotonic()

    def poll(self) -> list[Job]:
        """The jobs that finished since the last call."""
        head = self._pending[:LOOK_AHEAD]
        done = [job for job in head if (paths.ROOT / job[0].records[job[1] - 1]).exists()]
        self._pending = [job for job in self._pending if job not in done] if done else self._pending
        return done

    @property
    def done(self) -> int:
        """Number of finished jobs."""
        return self.total - len(self._pending)

    def remaining(self) -> float:
        """Expected seconds to the end: by this run's pace once there is one, else by the plan's estimate."""
        elapsed = time.monotonic() - self._begun
        if self.done == 0:
            return max(0.0, self._expected - elapsed)
        return elapsed / self.done * len(self._pending)


def running() -> str:
    """What is being measured at this moment, as the driver says."""
    now = noted.read()
    return f"{now.experiment} #{now.repetition} {now.step}" if now else ""


def follow(watch: Watch, alive: Callable[[], bool], console: Console) -> None:
    """Show progress until `alive` says no: a bar on a terminal, else a line for each result."""
    columns = [BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}"),
               TextColumn("{task.description}", markup=False)]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=watch.total, left="")
        while alive():
            for planned, repetition in watch.poll():
                if not console.is_terminal:
                    console.print(f"{watch.done}/{watch.total} {planned.experiment} #{repetition}", highlight=False)
            building = watch.done == watch.total
            bar.update(task, completed=watch.done, description="building the site" if building else running(),
                       left="" if building else f"about {duration(watch.remaining())} left")
            time.sleep(POLL_SECONDS)
        watch.poll()


def duration(seconds: float) -> str:
    """`seconds` in the two units a reader wants, as 3 min 20 s."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 90:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
