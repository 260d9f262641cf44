"""The model of a hard disk: its figures against hand-computed values, and against what documents print."""

from itertools import pairwise

import pytest

from disk_loads import BLOCK, GIB, MIB, consecutive, hdd, new, run, scattered
from spindlemark import config
from spindlemark.analysis.findings import caveats
from spindlemark.core.errors import UserError
from spindlemark.families.factors.device import DEVICE
from spindlemark.families.factors.factor import Choice
from spindlemark.release import environment_text
from spindlemark.site import conditions, testbed_labels
from spindlemark.testbeds import disk_model
from spindlemark.testbeds.drive.geometry import Geometry, SeekCurve
from spindlemark.testbeds.drive.mechanism import FLUSH, READ, WRITE, Order

TURN, OVERHEAD, TRACKS = 60 / 7200, 0.2e-3, 165_800
OUTERMOST = 2 * 125_069e6 / TRACKS * 163 / (163 + 84)  # bytes of a track: 995,604
SIZE = 4 * GIB


def served(drive, kind, start, end, at, tag=1):
    """When the disk has done a command that is alone."""
    drive.submit(Order(kind, start, end, at, tag))
    return next(finish for finish, done in drive.advance(at + 60) if done == tag)


def test_the_seek_curve_goes_through_what_the_manual_prints():
    curve = SeekCurve(hdd().reads, TRACKS)
    assert curve.seconds(0) == 0
    assert curve.seconds(1) == pytest.approx(0.23e-3)
    assert curve.seconds(TRACKS) == pytest.approx(17.06e-3, rel=1e-4)
    # Of all pairs of tracks, the share with a distance of x times the radius is 2 (1 - x).
    steps = 2000
    mean = sum(2 * (1 - (n + 0.5) / steps) / steps * curve.seconds((n + 0.5) / steps * TRACKS) for n in range(steps))
    assert mean == pytest.approx(7.5e-3, rel=0.002)


def test_a_seek_over_a_quarter_of_the_radius_by_hand():
    # Lee and Katz: (15 * 7.5 - 10 * 0.23 - 5 * 17.06) / 3 = 8.3 and (7 * 0.23 - 15 * 7.5 + 8 * 17.06) / 3 = 8.5297 ms
    assert SeekCurve(hdd().reads, TRACKS).seconds(TRACKS / 4) * 1000 == pytest.approx(
        0.23 + 8.3 * 0.5 + 8.5297 * 0.25, 1e-3
    )


def test_the_image_stands_for_the_whole_radius_and_tracks_keep_their_bytes():
    for size in (256 * MIB, SIZE, 1000 * 10**9):
        found = Geometry(hdd(), size)
        assert found.place(0).cylinder == 0 and found.place(size - 1).cylinder == pytest.approx(TRACKS, rel=1e-4)
        assert found.rate(0) == pytest.approx(OUTERMOST / TURN, rel=1e-6)
        assert found.rate(size - 1) == pytest.approx(OUTERMOST * 84 / 163 / TURN, rel=1e-6)
        assert found.place(int(OUTERMOST) - 1).track == 0 and found.place(int(OUTERMOST) + 2).track == 1
        # The outer half of the radius has more than half of the bytes: 1 - 1/4 (1 - r) / ((1 + r) / 2) / 2 with zones.
        assert 0.56 < next(n for n in range(100) if found.place(size * n // 100).cylinder >= TRACKS / 2) / 100 < 0.6


def test_places_and_offsets_are_inverse():
    found = Geometry(hdd(), SIZE)
    for offset in (1, BLOCK, int(OUTERMOST), int(OUTERMOST) + 1, SIZE // 2, SIZE - 1, SIZE):
        assert abs(found.offset(found.end(offset).turns) - offset) <= 1


def test_reading_on_costs_a_track_switch_and_not_the_stretched_distance():
    found = Geometry(hdd(), SIZE)
    first, next_one, far = (found.place(n * OUTERMOST + 10) for n in (0, 1, 2))
    # 1 TB over 4 GiB, and 8 heads: 995,604 B of the image stand for 29 tracks of each surface.
    assert next_one.cylinder - first.cylinder == pytest.approx(29.1, rel=0.01)
    assert found.seek(first, next_one, False) == pytest.approx(0.23e-3)
    assert found.seek(first, far, False) > 0.3e-3
    assert found.skew * TURN == pytest.approx(0.44e-3), "the head is there in time, also for writing"


def test_one_read_by_hand():
    drive = new()
    begun = served(drive, READ, 0, BLOCK, 0.0)
    start, at = SIZE // 3 // BLOCK * BLOCK, begun + 0.05
    geometry = drive.geometry
    # It has read ahead for 49 ms: a segment of 30 MB / 32, so its head waits behind that.
    head, there = geometry.end(BLOCK + 30_000_000 // 32), geometry.place(start)
    arrives = at + OVERHEAD + SeekCurve(hdd().reads, TRACKS).seconds(there.cylinder - head.cylinder)
    # The head was above the end of the first block when that was read.
    angle = geometry.end(BLOCK).turns + (arrives - begun) / TURN
    wait = (there.turns - angle) % 1 * TURN
    assert served(drive, READ, start, start + BLOCK, at, 2) == pytest.approx(
        arrives + wait + BLOCK / geometry.rate(start), abs=2e-6
    )


def test_what_was_read_ahead_comes_from_the_cache():
    drive = new()
    begun = served(drive, READ, 0, BLOCK, 0.0)
    assert served(drive, READ, BLOCK, 2 * BLOCK, begun + 0.02, 2) == pytest.approx(
        begun + 0.02 + OVERHEAD + BLOCK / 600e6
    )


@pytest.mark.parametrize(("block", "depth"), [(MIB, 1), (MIB, 8), (128 << 10, 1)])
def test_sequential_reads_are_as_fast_as_tracks_pass_the_head(block, depth):
    switched = TURN / (TURN + 0.44e-3)
    for start, rate in ((0, OUTERMOST / TURN), (SIZE * 97 // 100 // MIB * MIB, OUTERMOST * 84 / 163 / TURN)):
        ran = run(new(), consecutive(start, 64 * MIB // block, block), depth)
        assert ran.rate == pytest.approx(rate * switched, rel=0.04)


def test_random_reads_one_at_a_time_need_the_printed_access_time():
    # Average access time including controller overhead 7.7 ms, and average rotational latency 4.16 ms.
    assert run(new(), scattered(SIZE, 4000), 1).per_second == pytest.approx(1 / 11.86e-3, rel=0.03)


def test_sixteen_at_once_gain_what_a_data_sheet_prints():
    ran = run(new(), scattered(SIZE, 4000), 16)
    assert ran.per_second == pytest.approx(168, rel=0.05) and max(ran.latencies) < 0.5


def test_more_at_once_are_never_slower():
    found = [run(new(), scattered(SIZE, 2500), depth).per_second for depth in (1, 4, 16, 32)]
    assert all(more > 0.98 * less for less, more in pairwise(found))
    assert 1.3 < found[-1] / found[0] < 4


def test_cached_writes_are_answered_before_they_are_written_and_a_flush_waits():
    drive = new()
    drive.submit(Order(WRITE, SIZE // 2, SIZE // 2 + BLOCK, 0.0, 1))
    drive.submit(Order(READ, SIZE // 2, SIZE // 2 + BLOCK, 1e-3, 2))
    ends = {tag: finish for finish, tag in drive.advance(2e-3)}
    assert ends[1] == pytest.approx(OVERHEAD + BLOCK / 600e6)
    assert ends[2] == pytest.approx(1e-3 + ends[1]), "it is in the cache"
    drive = new()
    for tag, order in enumerate(scattered(SIZE, 50, WRITE)):
        drive.submit(Order(*order, 0.0, tag))
    drive.submit(Order(FLUSH, 0, 0, 0.0, 99))
    assert 50 * 2e-3 < next(finish for finish, tag in drive.advance(60) if tag == 99) < 50 * 12e-3


def test_a_flush_of_many_scattered_writes_ends_soon():
    drive = new()
    ran = run(drive, scattered(SIZE, 1500, WRITE), 32)
    assert 150 < ran.per_second < 350
    drive.submit(Order(FLUSH, 0, 0, ran.seconds, 9999))
    assert next(finish for finish, tag in drive.advance(ran.seconds + 60) if tag == 9999) - ran.seconds < 1.5


def test_a_flush_does_not_wait_for_what_comes_after_it():
    drive = new()
    for tag in range(64):
        drive.submit(Order(WRITE, tag * MIB, (tag + 1) * MIB, tag * 1e-4, tag))
        if tag == 8:
            drive.submit(Order(FLUSH, 0, 0, tag * 1e-4, 99))
    ends = {tag: finish for finish, tag in drive.advance(60)}
    assert 9 * MIB / 120e6 < ends[99] < 30 * MIB / 120e6


def test_without_a_write_cache_a_write_waits_for_the_medium():
    ran = run(new(write_cache=False), scattered(SIZE, 1000, WRITE), 1)
    # Average access time for a write, including overhead: 8.7 ms.
    assert ran.per_second == pytest.approx(1 / (8.7e-3 + TURN / 2), rel=0.04)


def test_writes_beyond_the_cache_are_as_fast_as_the_medium():
    ran = run(new(), consecutive(0, 200, MIB, WRITE), 4)
    assert (ran.bytes - 30e6) / ran.seconds == pytest.approx(OUTERMOST / (TURN + 0.44e-3), rel=0.03)


def test_many_streams_are_slower_than_one_together():
    one = run(new(), consecutive(0, 256, 512 << 10), 1).rate
    streams = [
        (READ, (stream * (SIZE // 8) + turn * (512 << 10)), stream * (SIZE // 8) + (turn + 1) * (512 << 10))
        for turn in range(32)
        for stream in range(8)
    ]
    assert 0.2 < run(new(), streams, 1).rate / one < 0.6


def test_the_same_seed_gives_the_same_times():
    orders = scattered(SIZE, 200)
    once, again, other = (run(new(seed=seed), orders, 4).latencies for seed in (1, 1, 2))
    assert once == again != other


def test_the_identity_has_every_figure_of_the_model():
    declared = config.load().testbeds["hdd"]
    found = disk_model.device_facts(declared, SIZE)
    assert found["kind"] == "disk_model" and found["figures"] == disk_model.facts(declared.disk)
    assert disk_model.of_facts(found["figures"]) == disk_model.parameters(declared.disk)
    changed = declared.model_copy(update={"disk": declared.disk.model_copy(update={"ageing": 0.1})})
    assert disk_model.device_facts(changed, SIZE) != found


def test_each_figure_says_where_it_comes_from():
    disk = config.load().testbeds["hdd"].disk.model_dump()
    for change, message in (
        ({"sources": {**disk["sources"], "zones": "believed: so"}}, "sources.zones"),
        ({"sources": {k: v for k, v in disk["sources"].items() if k != "cache"}}, "sources.cache"),
        ({"read_seek_ms": {"single": 1, "average": 9, "full": 12}}, "no seek curve"),
        ({"slowest_rate": "200 MB"}, "slowest_rate: is above fastest_rate"),
    ):
        with pytest.raises(ValueError, match=message):
            config.HardDisk.model_validate(disk | change)


def test_a_model_as_the_storage_of_a_network_needs_memory():
    registry = config.load()
    found = {}
    for bed in ("link-ram", "link"):
        choice = Choice({"device": "hdd"}, registry, registry.profiles["standard"], registry.testbeds[bed], "here")
        try:
            found[bed] = DEVICE.resolve(choice)
        except UserError as error:
            found[bed] = str(error)
    assert found["link-ram"]["model"] == disk_model.facts(registry.testbeds["hdd"].disk)
    assert DEVICE.opening(found["link-ram"]) == {"disk_model": found["link-ram"]["model"]}
    assert isinstance(found["link"], str)


def test_every_page_says_that_it_is_a_model():
    facts = {"device.kind": "disk_model"}
    assert testbed_labels.mark(facts) == "model of a hard disk, not a real one"
    assert "not a real disk" in conditions.explained(facts)[0]["meaning"]
    assert caveats.of_disk(facts) == caveats.of_disk({"device.model.version": 1}) == [caveats.MODELLED_DISK]
    assert caveats.of_disk({"device.kind": "ram"}) == []
    assert "model" in environment_text.KINDS["disk_model"][0]


def test_pages_have_a_label_for_each_figure():
    figures = disk_model.facts(config.load().testbeds["hdd"].disk)
    flat = [
        f"{key}.{part}" if isinstance(value, dict) else key
        for key, value in figures.items()
        for part in (value if isinstance(value, dict) else [""])
    ]
    assert all(f"device.figures.{key}" in conditions.LABELS for key in flat)
