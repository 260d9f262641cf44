"""Metrics of the family `network_audio`."""

from spindlemark.core.metric import Metric

# Latencies: Audinate, Dante Controller User Guide, chapter "Latency", and "How is latency adjusted in a Dante system?".
SHORTEST_SECONDS = 0.00015  # the smallest latency that a Dante device can be set to: less changes no setting
TIGHT_SECONDS, WIDE_SECONDS = 0.001, 0.005  # Dante's usual latency in a network of one gigabit, and its largest

METRICS = {
    "sound_in_time_ratio": Metric(
        title="Sound in time, 1 ms",
        unit="1",
        kind="ratio",
        better="higher",
        description="share of all packets of sound that arrive at most 1 ms after the quickest one would, which a receiver with "
        "that latency can play",
    ),
    "sound_in_time_5ms_ratio": Metric(
        title="Sound in time, 5 ms",
        unit="1",
        kind="ratio",
        better="higher",
        description="the same for a receiver with a latency of 5 ms",
    ),
    "sound_delay_p999_seconds": Metric(
        title="Delay variation, 99.9 %",
        unit="s",
        step="play",
        shortest_seconds=SHORTEST_SECONDS,
        better="lower",
        description="by how much a packet in a thousand is slower than the quickest one; below 0.15 ms, the smallest latency that "
        "devices have, it counts as that",
    ),
    "sound_delay_median_seconds": Metric(
        title="Delay variation, median",
        unit="s",
        step="play",
        shortest_seconds=SHORTEST_SECONDS,
        better="lower",
        description="by how much half of the packets are slower than the quickest one",
    ),
    "sound_lost_ratio": Metric(
        title="Sound lost",
        unit="1",
        kind="ratio",
        better="lower",
        description="share of the packets of sound that never arrive",
    ),
    "clock_error_p95_seconds": Metric(
        title="Clock error, 95 %",
        unit="s",
        step="play",
        shortest_seconds=0.00001,
        better="lower",
        description="error of a clock that follows the sender's by messages like those of PTP, without a filter, stamped by the kernel; "
        "one message in twenty exceeds it",
    ),
    "video_bytes_per_second": Metric(
        title="Video",
        unit="B/s",
        step="play",
        better="higher",
        exact="a link that carries all frames has exactly their rate",
        description="bytes of the frames that arrived in time to be counted",
    ),
    "video_frame_p99_seconds": Metric(
        title="Frame of video, 99 %",
        unit="s",
        step="play",
        shortest_seconds=0.001,
        better="lower",
        description="from the moment when a frame is due until it has arrived whole; one frame in a hundred takes longer",
    ),
}
