"""Formats of the page Plan: at least thirty, each with one figure and its source."""

import pytest
from pydantic import ValidationError

from spindlemark.config import formats
from spindlemark.config.formats import Format, Formats

GIVEN = {"group": "a", "title": "b", "source": "c"}


def test_figures_agree_with_what_is_known_of_the_formats():
    known = formats.read().formats
    assert len(known) >= 30
    assert known["prores-422-hq-2160p25"].bytes_per_second == 737e6 / 8
    assert known["dnxhr-hq-1080p25"].frame_bytes == 917_504  # the frame of DNxHD 185, which is HQ in this size
    assert known["dnxhr-sq-1080p25"].frame_bytes == 606_208  # of DNxHD 120
    assert known["v210-1080p25"].frame_bytes == 5_529_600
    assert known["dpx-2k-24"].bytes_per_second == 24 * (2048 * 1556 * 4 + 2048)
    assert all(0 < each.bytes_per_second < 10e9 for each in known.values())


@pytest.mark.parametrize(
    "figures",
    [{}, {"frame_bytes": 1}, {"frames_per_second": 1.0}, {"megabits": 1.0, "frame_bytes": 1, "frames_per_second": 1.0}],
)
def test_a_format_has_exactly_one_figure(figures):
    with pytest.raises(ValidationError, match="needs either megabits"):
        Format(**GIVEN, **figures)


def test_a_source_that_is_not_declared_is_refused():
    with pytest.raises(ValidationError, match=r"formats\.x\.source: no source is called 'c'"):
        Formats(sources={}, formats={"x": Format(**GIVEN, megabits=1)})
