"""What clients ask for, what ends a search, and the gates of a trial."""

from types import SimpleNamespace

import pytest

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Invalid, Unsupported
from spindlemark.families import registry as families
from spindlemark.families.http_streams import family as http_streams
from spindlemark.families.http_streams import (
    http_factors,
    http_results,
    trial_gates,
    web_servers,
)
from spindlemark.families.http_streams.http_trial import Trials
from spindlemark.families.http_streams.server_watch import Load
from spindlemark.families.http_streams.trial_result import Seen
from spindlemark.families.shared.streams.search import Found
from spindlemark.measure import experiments
from spindlemark.testbeds.device import Traffic

SCALE = {"film_seconds": 20, "buffer_seconds": 2, "most_viewers": 64, "overload_viewers": 48, "resolution": 0.05}
GIB = 2**30


def resolved(chosen=(), size=4 * GIB, **scale):
    return families.factors("http_streams", dict(chosen), SCALE | scale, size)


def test_an_asset_is_whole_blocks_of_the_rate():
    found = resolved({"rate": "25-mbit", "delivery": "hls-2", "recordings": "4-recordings"})
    wanted = http_factors.demand(found)
    assert (
        0 <= wanted.film_bytes - 20 * 3_125_000 < 4096 and wanted.film_bytes % 4096 == wanted.segment_bytes % 4096 == 0
    )
    assert (wanted.most_bytes, wanted.start_bytes, wanted.recordings) == (6_250_000, 3_125_000, 4)
    assert wanted.marks == (4.0, 10.0, 18.0) and wanted.limit_seconds == 24.0


def test_a_trial_may_be_shorter_than_its_asset():
    wanted = http_factors.demand(resolved(film_seconds=30, hold_seconds=20))
    assert wanted.marks == (4.0, 10.0, 20) and wanted.limit_seconds == 20
    longer = http_factors.demand(resolved({"film": "60-seconds"}, film_seconds=30, hold_seconds=20))
    assert (longer.film_seconds, longer.hold_seconds, longer.buffer_seconds) == (60, 40, 4)


def test_thumbnails_last_for_a_whole_trial_and_need_room():
    found = resolved({"thumbnails": "10-each-second"})
    wanted = http_factors.demand(found)
    assert (found["thumbnails"], wanted.thumbnail_count, wanted.concurrent_bytes) == (10, 240, 240 * 65536)
    assert resolved()["thumbnails"] == http_factors.demand(resolved()).thumbnail_count == 0


def test_the_expected_time_counts_points_ramp_and_ageing():
    curve = {"curve": {"points": 6, "ramp_step_seconds": 2}}
    device = {"device": {"limits": {"read": 13_750_000}}}
    search, moved = http_streams.expected(resolved(**curve) | device, 4 * GIB)
    load, _ = http_streams.expected(resolved({"load": "curve"}, **curve) | device, 4 * GIB)
    # 7 clients are too many, so 5 are expected: the overload, 1 to 6, and a ramp of 5 steps up and down
    assert load == pytest.approx(7 * 24.7 + (4 * 2 + 5 * 2) + 0.7) and search < load
    assert moved == 7 * 62_500_864
    ageing = {"tuners": 2, "smallest": 1000, "largest": 10**6, "flush": 1000, "filled": 0.8, "overwritten": 2}
    _, aged = http_streams.expected(resolved({"age": "aged"}, ageing=ageing) | device, 4 * GIB)
    assert aged == moved + 2 * 4 * GIB


def test_no_more_clients_are_tried_than_assets_fit():
    assert resolved()["viewers"]["most_viewers"] == int(0.8 * 4 * GIB) // 62_500_864
    beside = resolved({"recordings": "4-recordings"})["viewers"]["most_viewers"]
    assert beside < resolved()["viewers"]["most_viewers"]


@pytest.mark.parametrize(
    ("chosen", "size", "scale", "named"),
    [
        ({"rate": "7-bananas"}, GIB, {}, "7-bananas"),
        ({"delivery": "dash"}, GIB, {}, "dash"),
        ({"delivery": "hls-0"}, GIB, {}, "hls-0"),
        ({"delivery": "hls-15"}, GIB, {}, "longer than half"),
        ({"recordings": "many"}, GIB, {}, "many"),
        ({"thumbnails": "0-each-second"}, GIB, {}, "0-each-second"),
        ({"thumbnails": "some"}, GIB, {}, "some"),
        ({"film": "long"}, GIB, {}, "film: 'long'"),
        ({"film": "0-seconds"}, GIB, {}, "film"),
        ({"film": "9999-seconds"}, GIB, {}, "does not fit"),
        ({"mood": "x"}, GIB, {}, "mood"),
        ({"age": "old"}, GIB, {}, "old"),
        ({"age": "aged"}, GIB, {}, "scale.ageing"),
        ({"load": "much"}, GIB, {}, "much"),
        ({"load": "curve"}, GIB, {}, "scale.curve"),
        ({}, GIB, {"hold_seconds": 19}, "hold_seconds"),
        ({}, GIB, {"hold_seconds": 10}, "hold_seconds"),
        ({}, 16 << 20, {}, "film_seconds"),
        ({}, GIB, {"buffer_seconds": 3}, "buffer_seconds"),
        ({}, GIB, {"film_second": 3}, "film_second"),
        ({"rate": "80000-mbit"}, GIB, {}, "does not fit"),
    ],
)
def test_what_cannot_be_measured_is_refused(chosen, size, scale, named):
    with pytest.raises(UserError) as refused:
        resolved(chosen, size, **scale)
    assert named in str(refused.value) and any(
        key in str(refused.value) for key in ("config/", "families.http_streams.scale")
    )


def test_quick_asks_every_server_and_what_readahead_gains():
    registry = config.load()
    only = registry.model_copy(
        update={
            "experiments": {"http_streams": registry.experiments["http_streams"]},
            "questions": {"http_streams": registry.questions["http_streams"]},
        }
    )
    found = [spec.experiment for spec in experiments.specs(only, "quick")]
    assert {e.factors["server"]["program"] for e in found} == set(http_streams.UNPACKED) - {"apache2"}
    assert all(e.factors["viewers"]["overload_viewers"] > 8 for e in found)
    assert {e.factors["readahead"] for e in found} == {"128", "1024"} and len(
        {e.factors["rate"]["name"] for e in found}
    ) == 2
    source = [e.factors for e in found if e.factors["device"]["name"] == "iVDR"]
    assert {f["delivery"]["name"] for f in source} == {"progressive", "hls-2"}
    assert all((f["viewers"]["film_seconds"], f["viewers"]["buffer_seconds"]) == (4, 0.4) for f in source)
    assert all(f["viewers"]["film_bytes"] >= 4 * f["rate"]["bytes_per_second"] for f in source)


def test_without_its_program_it_is_unsupported_and_says_what_brings_it(monkeypatch):
    monkeypatch.setattr(web_servers, "is_here", lambda program: False)
    session = SimpleNamespace(factors={"server": {"name": "caddy"}}, registry=config.load())
    with pytest.raises(Unsupported, match="caddy is not here: ./spindlemark run --family http_streams fetches"):
        http_streams._require_program(session)


def test_the_overload_is_more_than_a_device_feeds_and_no_more_than_declared():
    wanted = http_factors.demand(resolved())
    for limit, expected in ((13_750_000, 7), (150_000_000, 48), (None, 48)):
        limits = {} if limit is None else {"read": limit}
        assert http_streams._overload_viewers({"limits": limits}, wanted) == expected


def seen(**changes):
    usual = {
        "clients": 9,
        "holds": False,
        "goodput": 5e6,
        "stalls": 3,
        "startup": [0.2],
        "thumbnails": [0.01, 0.02, 0.06],
        "received_bytes": 10**9,
        "device_bytes": 10**9,
        "server_cpu_seconds": 2.0,
        "carried_bytes": 10**9,
        "busy": 0.2,
        "device_share": 0.3,
        "served": 8.5,
        "lowest_seconds": -1.0,
        "load": Load(0.4, 2e7, 1e9, 3e7, 3e7),
    }
    return Seen(**usual | changes)


def test_an_overload_that_all_are_fed_in_is_none_and_tells_no_goodput():
    told, notes = {}, {}
    session = SimpleNamespace(measure=told.__setitem__, note=notes.update)
    http_results.measure(session, seen(), Found(8, 9), {8: seen(), 9: seen()})
    assert told["viewer_cpu_ratio"] == 0.4 / 8 and told["server_resident_bytes"] == 2e7
    assert {"goodput_bytes_per_second", "gigabyte_cpu_seconds", "read_for_sent_ratio"} <= told.keys() and not notes
    told.clear()
    http_results.measure(session, seen(holds=True, clients=48), Found(8, 9), {8: seen(), 9: seen()})
    assert (
        set(notes) == {f"absent.{name}" for name in http_results._OVERLOADED}
        and not set(http_results._OVERLOADED) & told.keys()
    )
    assert "all of 48 clients were fed" in notes["absent.goodput_bytes_per_second"]


def test_thumbnails_are_those_of_the_largest_number_that_holds():
    told, notes = {}, {}
    session = SimpleNamespace(measure=told.__setitem__, note=notes.update, factors={"thumbnails": 10})
    http_results._measure_thumbnails(session, Found(8, 9), {8: seen(), 9: seen(thumbnails=[9.0])})
    assert told["thumbnail_median_seconds"] == 0.02 < told["thumbnail_p99_seconds"] <= 0.06 and not notes
    http_results._measure_thumbnails(session, Found(0, 1), {1: seen()})
    assert set(notes.values()) == {"no number of clients held"}
    session.factors["thumbnails"] = 0
    http_results._measure_thumbnails(session, Found(8, 9), {8: seen(thumbnails=[]), 9: seen(thumbnails=[])})
    assert set(notes.values()) == {"no thumbnails were requested"}


@pytest.mark.parametrize(
    ("share", "busy", "limit"),
    [
        (0.97, 0.2, "device"),
        (0.97, 0.99, "device"),
        (0.5, 0.95, "processor"),
        (0.5, 0.3, "neither"),
        (None, 0.3, "unknown"),
    ],
)
def test_what_ended_the_search_is_told_from_what_was_full(share, busy, limit):
    trials = Trials(SimpleNamespace(attachments={}), http_factors.demand(resolved()), None, None)
    trials.seen = {9: seen(busy=busy, device_share=share)}
    assert trials.limit(Found(8, 9)) == limit and trials.limit(Found(48, None)) == "most_streams"


def test_a_device_is_as_full_as_the_fuller_of_its_figures():
    limits = {"read": 100, "read_requests": 10, "write": 1}
    trials = Trials(
        SimpleNamespace(attachments={}, factors={"device": {"limits": limits}}),
        http_factors.demand(resolved()),
        None,
        None,
    )
    assert trials._share(Traffic(reads=18, read_bytes=100), 2.0) == 0.9
    trials.repetition.factors["device"]["limits"] = {}
    assert trials._share(Traffic(reads=18, read_bytes=100), 2.0) is None


def test_gates_stop_what_means_nothing():
    """A client that is busy, late, or got what no device read."""
    report = {"bad_blocks": 0, "checked_blocks": 9, "cpu_seconds": 0.1, "seconds": 1.0, "latest_seconds": 0.01}

    def require(gate, ok, *_, **__):
        if not ok:
            raise Invalid(gate)

    session, wanted = SimpleNamespace(require=require), http_factors.demand(resolved())
    trial_gates.require(session, wanted, report, 100, 100)
    for change, device, gate in (
        ({"cpu_seconds": 0.6}, 100, "generator_idle"),
        ({"latest_seconds": 1.5}, 100, "generator_keeps_up"),
        ({"bad_blocks": 1}, 100, "content"),
        ({}, 99, "cold_proof"),
    ):
        with pytest.raises(Invalid, match=gate):
            trial_gates.require(session, wanted, report | change, 100, device)
