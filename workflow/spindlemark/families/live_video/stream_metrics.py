"""What the numbers of live video mean."""

from spindlemark.core.metric import OF_MANY, OWN_CLOCK, Metric
from spindlemark.core.record import Better

_IN_TIME = "shown, and no more than two frame intervals later than usual"
_LATE = "shown more than two frame intervals later than usual on a wide link"

_RATE = (
    "what the server's interface sent, headers included, per picture that was shown, times the frames a second: pictures that "
    "were lost make no stream cheaper"
)
_NEEDED = (
    "the lowest tested rate at which the stream held, as it did at every higher one: 1.5, 1.25, 1, 0.75 and 0.5 of the rate "
    "that it sends on a wide link"
)


def _at_reduced_rate(title: str, what: str, share: str, better: Better = "lower") -> Metric:
    return Metric(
        title=title,
        unit="1",
        kind="ratio",
        better=better,
        description=f"frames that were {what}, over those that were due, with the link limited to {share} of the rate that "
        "the stream sends on a wide one",
    )


METRICS = {
    "stream_bits_per_second": Metric(title="Rate of a stream", unit="bit/s", better="lower", description=_RATE),
    "link_bits_per_second": Metric(
        title="Rate on the link",
        unit="bit/s",
        better="lower",
        description="what the server's interface sent to all receivers, headers included, per second",
    ),
    "senders_cpu_ratio": Metric(
        title="Load of the sender",
        unit="1",
        kind="ratio",
        better="lower",
        description="user and system time of the sender, over that of all processors of the machine",
    ),
    "receivers_cpu_ratio": Metric(
        title="Load of all receivers",
        unit="1",
        kind="ratio",
        better="lower",
        description="user and system time of all receivers, over that of all processors of the machine",
    ),
    "frame_latency_median_seconds": Metric(
        title="Latency",
        unit="s",
        step="frame_latency_median",
        better="lower",
        shortest_seconds=OF_MANY,
        description="from capture to the decoded picture in the watcher's memory: median over all frames and watchers",
    ),
    "frame_latency_p99_seconds": Metric(
        title="Latency, 99th percentile",
        unit="s",
        step="frame_latency_p99",
        better="lower",
        shortest_seconds=OF_MANY,
        description="what one frame in a hundred exceeds",
    ),
    "frame_latency_jitter_seconds": Metric(
        title="Jitter",
        unit="s",
        step="frame_latency_jitter",
        better="lower",
        shortest_seconds=OF_MANY,
        description="mean difference between the latencies of pictures that follow each other",
    ),
    "frames_in_time_ratio": Metric(
        title="Frames in time",
        unit="1",
        kind="ratio",
        better="higher",
        description=f"frames that were {_IN_TIME}, over those that were due",
    ),
    "frames_lost_ratio": Metric(
        title="Frames lost",
        unit="1",
        kind="ratio",
        better="lower",
        description="frames that were due and never shown, whatever lost them, over those that were due",
    ),
    "frames_late_ratio": Metric(
        title="Frames late",
        unit="1",
        kind="ratio",
        better="lower",
        description="frames shown more than two frame intervals after the watcher's median latency, over those that were due",
    ),
    "frames_repeated_ratio": Metric(
        title="Frames repeated",
        unit="1",
        kind="ratio",
        better="lower",
        description="frames shown again, over those that were due",
    ),
    "sender_frame_cpu_seconds": Metric(
        title="Sender, processor time a frame",
        unit="s",
        step="sender_frame_cpu",
        work="cpu",
        better="lower",
        shortest_seconds=OF_MANY,
        description="user and system time of the sender, per frame that it encoded, however many watch",
    ),
    "receiver_frame_cpu_seconds": Metric(
        title="Receiver, processor time a frame",
        unit="s",
        step="receiver_frame_cpu",
        work="cpu",
        better="lower",
        shortest_seconds=OF_MANY,
        description="user and system time of a watcher, per frame that it showed",
    ),
    "receivers_sustained_count": Metric(
        title="Receivers",
        unit="1",
        kind="searched",
        failed="receivers_failed_count",
        limited_by="receivers.limited_by",
        most="trial.most",
        step="receivers",
        better="higher",
        description="the largest number of watchers of one stream with which all of them hold; at least so many where "
        "receivers_failed_count is 0",
    ),
    "receivers_failed_count": Metric(
        title="Receivers that were too many",
        unit="1",
        kind="count",
        better="none",
        description="the smallest number that did not hold; 0 where the largest number tried did",
    ),
    "live_streams_sustained_count": Metric(
        title="Live streams",
        unit="1",
        kind="searched",
        failed="live_streams_failed_count",
        limited_by="live_streams.limited_by",
        most="trial.most",
        step="live_streams",
        better="higher",
        description="the largest number of streams side by side, each with a sender and a watcher, up to which the curve of "
        "missed frames, fitted by isotonic regression, stays within one frame in two seconds; up to method 2, the largest "
        "number of a search; at least so many where live_streams_failed_count is 0",
    ),
    "live_streams_failed_count": Metric(
        title="Live streams that were too many",
        unit="1",
        kind="count",
        better="none",
        description="the smallest number that did not hold; 0 where the largest number tried did",
    ),
    "link_needed_bits_per_second": Metric(
        title="Link that a stream needs", unit="bit/s", better="lower", description=_NEEDED
    ),
    "squeezed_three_quarters_ratio": _at_reduced_rate(
        "In time at three quarters", _IN_TIME, "three quarters", "higher"
    ),
    "squeezed_half_ratio": _at_reduced_rate("In time at half", _IN_TIME, "half", "higher"),
    "squeezed_three_quarters_lost_ratio": _at_reduced_rate("Lost at three quarters", "never shown", "three quarters"),
    "squeezed_three_quarters_late_ratio": _at_reduced_rate("Late at three quarters", _LATE, "three quarters"),
    "squeezed_half_lost_ratio": _at_reduced_rate("Lost at half", "never shown", "half"),
    "squeezed_half_late_ratio": _at_reduced_rate("Late at half", _LATE, "half"),
    "recovery_seconds": Metric(
        title="Recovery",
        unit="s",
        step="recovery",
        better="lower",
        exact="frames are lost or late one by one, so the time is a whole number of frame intervals",
        shortest_seconds=OWN_CLOCK,
        description="from when the link is wide again until half a second begins in which no frame is lost or late; at least the "
        "frame interval",
    ),
    "latency_drift_minute_seconds": Metric(
        title="Latency drift per minute",
        unit="s",
        step="soak",
        better="none",
        by_chance="a latency that stays as it is has a slope around zero",
        description="by how much the latency changes per minute in a long trial, up or down: the slope of a line by least "
        "squares; the attachment `drift` has its sign",
    ),
    "latency_drift_most_minute_seconds": Metric(
        title="Latency drift per minute, at most",
        unit="s",
        step="soak",
        better="none",
        by_chance="it is the end of an interval around a slope of zero",
        description="the end further from zero of the slope's 95 % interval, by a moving-block bootstrap",
    ),
    "latency_drift_detected_ratio": Metric(
        title="Latency drift detected",
        unit="1",
        kind="ratio",
        better="none",
        description="1 where the interval of the slope excludes zero, otherwise 0",
    ),
    "shown_again_ratio": Metric(
        title="Shown again",
        unit="1",
        kind="ratio",
        better="higher",
        description="1 where pictures were shown again within the limit after an interruption (trial.limit_seconds), otherwise 0",
    ),
    "shown_again_seconds": Metric(
        title="Time until shown again",
        unit="s",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="from the end of an interruption (link up again, new address set, new sender ready) until a picture is "
        "shown that was captured after it; absent where that was never within the limit",
    ),
    # Up to method 1 in bytes, as records of other machines still have them.
    "stream_bytes_per_second": Metric(
        title="Rate of a stream", unit="B/s", step="stream", better="lower", description=f"up to method 1: {_RATE}"
    ),
    "link_needed_bytes_per_second": Metric(
        title="Link that a stream needs",
        unit="B/s",
        step="link_needed",
        better="lower",
        description=f"up to method 1: {_NEEDED}",
    ),
}
