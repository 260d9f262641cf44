"""Sound and video on a real link: with one queue a frame of video delays it, with priority it does not."""

import numpy as np
import pytest

from bed import PROFILE, Bed
from families_bed import held, measured, values
from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.families import registry as families
from spindlemark.families.network_audio import audio_packets, clock_exchange, delays
from spindlemark.measure import plan

SCALE = {"warm_seconds": 0.5, "seconds": 2}
VIDEO = {"video_bytes_per_second", "video_frame_p99_seconds"}


@pytest.fixture
def bed(tmp_path, needs_root):
    made = Bed(tmp_path)
    made.declare_link()
    return made


def spec(bed, **factors):
    chosen = {"link_rate": "300-mbit", "queue": "fifo", "traffic": "none"} | factors
    bed.write("profiles", "tiny", PROFILE | {"families": {"network_audio": {"scale": SCALE}}})
    declared = {"description": "One", "sets": [{"factors": {key: [value] for key, value in chosen.items()}}]}
    bed.write("experiments", "network_audio", declared)
    request = plan.Request(profile="tiny", testbed=bed.testbed)
    made, specs = plan.make(config.load(bed.root / "config"), request)
    plan.write(made, specs, bed.root)
    return bed.root / made.experiments[0].spec


def test_sound_alone_arrives_whole(bed):
    record = measured(bed, spec(bed))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("network_audio").keys() - VIDEO
    assert found["sound_lost_ratio"] == 0 and 0 < found["sound_in_time_ratio"] <= found["sound_in_time_5ms_ratio"] <= 1
    assert held(record, "generator_keeps_up") == [True]
    assert record.experiment.factors["sound"] == {"channels": 64, "packets_per_second": 8000}


def test_a_frame_delays_sound_unless_sound_goes_first(bed):
    found = {
        queue: values(measured(bed, spec(bed, traffic="one-video", queue=queue))) for queue in ("fifo", "priority")
    }
    for each in found.values():
        assert each.keys() == families.metrics("network_audio").keys()
        assert each["video_bytes_per_second"] == pytest.approx(15e6, rel=0.1)  # 120 Mbit/s
    # Sound leaves 220 Mbit/s, which 500 kB occupy for 18 ms of each 33 ms.
    assert found["fifo"]["sound_delay_p999_seconds"] > 0.005
    assert found["fifo"]["sound_in_time_ratio"] < 0.75 < found["priority"]["sound_in_time_ratio"]


def test_without_a_rate_it_is_unsupported(bed):
    record = measured(bed, spec(bed, link_rate="unlimited"))
    assert record.status == "unsupported" and "link_rate" in record.reason


def test_what_cannot_be_planned_names_its_key(bed):
    for changes, match in (
        ({"traffic": "trains"}, "traffic: there is no 'trains'"),
        ({"queue": "lifo"}, "queue: there is no 'lifo'"),
        ({"channels": "2"}, "channels: the family has no such factor"),
    ):
        with pytest.raises(UserError, match=match):
            spec(bed, **changes)


def test_packets_say_what_was_written_into_them():
    made = audio_packets.packet(3)
    assert len(made) == audio_packets.BYTES == 12 + 1152
    for number in (0, 65_536, 86_399_000):
        audio_packets.stamp(made, 3, number, 10**18 + 7)
        assert audio_packets.read(made) == (3, number, 10**18 + 7)


def test_delays_leave_out_the_beginning_and_count_what_is_missing():
    seen = np.zeros((2, 4, 2), np.int64)
    seen[:, :, 0] = 1000
    seen[:, :, 1] = 1000 + np.array([[9e9, 500_000, 500_000, 2_500_000], [9e9, 500_000, 0, 6_500_000]])
    seen[1, 2] = 0
    found = delays.of(seen, 1)
    assert found.sent == 6 and found.lost == pytest.approx(1 / 6)
    assert (found.in_time(0.001), found.in_time(0.005)) == (pytest.approx(3 / 6), pytest.approx(4 / 6))
    assert found.exceeded_by(0.0) == pytest.approx(0.006)
    with pytest.raises(ValueError, match="no packet"):
        delays.of(np.zeros((1, 2, 2), np.int64), 0)


def test_a_clock_is_wrong_by_half_of_what_one_way_is_slower():
    sent = np.array([[1000, 1000 + 5_000], [2000, 0]])  # departure of the message, arrival of the request
    seen = np.array([[1000 + 3_000, 1000 + 4_000], [2500, 2600]])  # there 3 µs, back 1 µs; the second has no answer
    assert clock_exchange.errors(sent, seen) == pytest.approx([1e-6])
