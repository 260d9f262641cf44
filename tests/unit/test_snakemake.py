"""What we rely on in the pinned Snakemake."""

from snakemake.scheduling.job_scheduler import JobScheduler


def test_the_timer_that_we_turn_off_is_there():
    assert callable(JobScheduler._schedule_reevalutation)
