"""What a record says of its own times."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from spindlemark.release.contributions import consistency

BEGIN = datetime(2026, 11, 27, tzinfo=UTC)


@pytest.mark.parametrize(
    ("family", "metric", "complaints"),
    [
        ("codec_quality", "transcode_hour_seconds", []),
        ("aaf_scale", "read_seconds", ["measurements: read_seconds is 9000 s in a repetition of 60 s"]),
    ],
)
def test_only_a_time_for_more_than_was_done_may_be_longer_than_the_repetition(family, metric, complaints):
    record = SimpleNamespace(
        started_at=BEGIN,
        finished_at=BEGIN + timedelta(seconds=60),
        commands=[],
        experiment=SimpleNamespace(family=family),
        measurements=[SimpleNamespace(metric=metric, value=9000.0)],
    )
    assert list(consistency._times(record)) == complaints
