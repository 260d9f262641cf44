"""Failures of a run: skipped testbeds, and repetitions without a record."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spindlemark.core.events import Event


class NotMeasuredError(Exception):
    """A testbed was skipped or a job failed; everything else was measured and published. The text lists what is missing."""


@dataclass(frozen=True)
class Skip:
    """Why a testbed is skipped for the rest of this run."""

    problem: str
    remedy: str
    fixable: bool  # by the user: the testbed is unusable, and the harness did not fail

    def line(self, testbed: str) -> str:
        """The message for the screen."""
        return f"Testbed {testbed} is skipped: {self.problem}\n  {self.remedy}"


@dataclass
class Failures:
    """The failures that the jobs of a run reported."""

    skipped: dict[str, Skip] = field(default_factory=dict)
    failed: dict[tuple[str, str], str] = field(default_factory=dict)  # (testbed, job) -> how the harness failed
    stop: bool = False  # a testbed with repetitions still to run is skipped

    def take(self, events: Iterable[Event]) -> list[str]:
        """Process events; returns the new lines for the screen.

        A testbed is skipped if it cannot be used, and if the harness failed on it twice in the same way.
        """
        lines = []
        for event in events:
            testbed, job = str(event.get("testbed")), str(event.get("job"))
            if event["event"] == "unsupported":
                lines += [
                    f"{testbed}: {what}: its results are recorded as unsupported" for what in event.get("lacking", [])
                ]
            elif event["event"] == "unusable":
                lines += self._skip(testbed, job, Skip(str(event.get("problem")), str(event.get("remedy")), True))
            elif event["event"] == "harness_failed":
                manner = str(event.get("manner"))
                again = (testbed, manner) in {(bed, how) for (bed, _), how in self.failed.items()}
                self.failed[testbed, job] = manner
                if again:
                    remedy = "read its log in data/build/logs/, and run ./spindlemark doctor"
                    problem = f"the harness failed twice in the same way: {manner}"
                    lines += self._skip(testbed, job, Skip(problem, remedy, False))
        return lines

    def lines(self) -> Iterator[str]:
        """One line per skipped testbed and failed job, with the reason."""
        for testbed, skip in self.skipped.items():
            yield f"Testbed {testbed} was skipped: {skip.problem}\n  {skip.remedy}"
        for (testbed, job), manner in self.failed.items():
            if testbed not in self.skipped:
                yield f"{job} on testbed {testbed} was not measured because the harness failed: {manner}"

    def count(self) -> tuple[int, int]:
        """The number of failed jobs and of skipped testbeds."""
        return len(self.failed), len(self.skipped)

    def measured(self, testbed: str, job: str) -> None:
        """Forget the failure of a job whose second try succeeded."""
        self.failed.pop((testbed, job), None)

    def _skip(self, testbed: str, job: str, skip: Skip) -> list[str]:
        if testbed in self.skipped:
            return []
        self.skipped[testbed] = skip
        self.stop = self.stop or job != TRIAL  # Snakemake itself leaves out jobs after a failed trial
        return [skip.line(testbed)]


TRIAL = "its trial"
