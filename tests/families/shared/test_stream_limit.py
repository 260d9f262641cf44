"""The largest number of streams is never more than the declared limit of the device feeds."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from spindlemark.families.shared.streams.search import Found, Tried
from spindlemark.families.shared.streams.stream_factors import Demand
from spindlemark.families.shared.streams.stream_trial import Place, Prober

DEMAND = Demand(
    bytes_per_second=3_125_000.0,
    block_bytes=1 << 18,
    probe_seconds=2.0,
    playback_buffer_seconds=0.4,
    writers=0,
    most_streams=480,
    resolution=0.08,
    tries=1,
    direct=True,
)


def _prober(throttle: dict, passing: int, monkeypatch, demand: Demand = DEMAND):
    """A prober whose trials hold up to `passing` readers; the second value collects the numbers that it tries."""
    device = {"kind": "ram"} | ({"throttle": throttle} if throttle else {})
    spec = SimpleNamespace(experiment=SimpleNamespace(fingerprint={"device": device}))
    notes: dict = {}
    repetition = SimpleNamespace(spec=spec, attachments={}, note=notes.update, notes=notes)
    prober, tried = Prober(repetition, demand, Place(lambda _: [], Path(), Path())), []

    def trial(number: int) -> Tried:
        tried.append(number)
        prober.probes.append({"streams": number, "processor_busy": 0.1})
        return Tried(number <= passing, float(passing))

    monkeypatch.setattr(prober, "tried", trial)
    return prober, tried


@pytest.mark.parametrize(
    ("throttle", "passing", "found", "limited_by"),
    [
        ({"read": 560_000_000}, 192, Found(179, 180), "device"),  # a short trial passes more than the limit feeds
        ({"read": 560_000_000}, 150, None, "device"),
        ({"read": 1_000_000}, 4, Found(1, 2), "device"),
        ({"read": 2_200_000_000}, 500, Found(480, None), "most_streams"),
        ({"write": 560_000_000}, 500, Found(480, None), "most_streams"),
        ({}, 500, Found(480, None), "most_streams"),
    ],
)
def test_no_number_beyond_the_limit_is_tried(throttle, passing, found, limited_by, monkeypatch):
    prober, tried = _prober(throttle, passing, monkeypatch)
    largest = prober.largest(190)
    assert found is None or largest == found
    assert largest.sustained <= passing and prober.repetition.notes == {"streams.limited_by": limited_by}
    if limit := throttle.get("read"):
        assert max(tried) <= max(1, limit / DEMAND.bytes_per_second)


def test_a_declared_largest_number_below_the_limit_is_still_a_cap(monkeypatch):
    prober, _ = _prober({"read": 560_000_000}, 500, monkeypatch, replace(DEMAND, most_streams=100))
    assert prober.largest(90) == Found(100, None)
    assert prober.repetition.notes == {"streams.limited_by": "most_streams"}
