"""What we rely on in the pinned Snakemake."""

import inspect

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from spindlemark.cli import scheduling
from spindlemark.core.errors import UserError
from spindlemark.core.paths import ROOT


def test_the_timer_that_is_stopped_is_there_and_is_called_so():
    assert list(inspect.signature(getattr(JobScheduler, scheduling.TIMER)).parameters) == ["self", "delay"]
    assert f"self.{scheduling.TIMER}(" in inspect.getsource(JobScheduler)


def test_it_sets_nothing_once_stopped():
    class Scheduler:
        def _schedule_reevalutation(self, delay):
            raise AssertionError("a timer was set")

    scheduling.stop_timer(Scheduler)
    assert Scheduler()._schedule_reevalutation(10) is None


def test_a_snakemake_without_it_is_refused():
    """As when its spelling is mended there."""

    class JobScheduler:
        def _schedule_reevaluation(self, delay):
            """Spelt as it should be."""

    with pytest.raises(UserError, match=r"Snakemake [\d.]+ has no JobScheduler\._schedule_reevalutation"):
        scheduling.stop_timer(JobScheduler)
    assert "scheduling.stop_timer(JobScheduler)" in (ROOT / "rules/common.smk").read_text()
