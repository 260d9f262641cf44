"""What a run tells of a workflow that broke."""

from spindlemark.cli import snakemake_process


def test_the_traceback_is_told_whatever_other_jobs_print_after_it():
    log = (
        "a job\nTraceback (most recent call last):\n  File x\n    y = 1 / 0\nZeroDivisionError: division by zero\nRuleException:\n"
        + "another job\n" * 40
    )
    assert snakemake_process.what_broke(log).splitlines()[0].startswith("Traceback")
    assert snakemake_process.what_broke(log).endswith("ZeroDivisionError: division by zero")


def test_without_one_the_last_lines_are():
    assert snakemake_process.what_broke("\n".join(map(str, range(99)))).splitlines() == [str(n) for n in range(74, 99)]
