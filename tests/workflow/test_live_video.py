"""Live video on a real link: what is recorded for each task, and whose fault it is when something ends too early."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from bed import PROFILE, Bed
from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.record import read_record
from spindlemark.families.live_video import family as live_video
from spindlemark.measure import plan

SCALE = {
    "warm_seconds": 0.5,
    "seconds": 1,
    "stage_seconds": 0.5,
    "recover_seconds": 1,
    "soak_seconds": 6,
    "limit_seconds": 6,
    "most_receivers": 2,
    "most_streams": 1,
}
PLAYED = {
    "frames_lost_ratio",
    "frames_late_ratio",
    "frames_repeated_ratio",
    "frames_in_time_ratio",
    "stream_bits_per_second",
    "link_bits_per_second",
    "senders_cpu_ratio",
    "receivers_cpu_ratio",
    "frame_latency_median_seconds",
    "frame_latency_p99_seconds",
    "frame_latency_jitter_seconds",
    "sender_frame_cpu_seconds",
    "receiver_frame_cpu_seconds",
}


@pytest.fixture
def bed(tmp_path, needs_root):
    made = Bed(tmp_path)
    made.declare_link()
    yield made
    made.remove()


def planned(bed, scale=SCALE, **factors):
    """The spec file of one experiment: small pictures of little content, so that a busy machine can send them."""
    bed.write("profiles", "tiny", PROFILE | {"families": {"live_video": {"scale": scale}}})
    chosen = {"stream": "vmx-omt", "format": "720p10", "content": "smooth", "task": "play"} | factors
    bed.write(
        "experiments",
        "live_video",
        {"description": "One", "sets": [{"testbeds": [bed.testbed], "factors": {n: [v] for n, v in chosen.items()}}]},
    )
    made, specs = plan.make(config.load(bed.root / "config"), plan.Request(profile="tiny", testbed=bed.testbed))
    plan.write(made, specs, bed.root)
    return bed.root / made.experiments[0].spec


def measured(bed, spec):
    bed.call(spec)
    assert bed.leftovers() == [] and not list(bed.memory.glob("*/scratch"))
    return read_record(spec.parent / "rep-1.json")


def values(record):
    return {m.metric: m.value for m in record.measurements}


def test_two_watch_a_stream_over_a_narrow_link(bed):
    record = measured(bed, planned(bed, stream="speedhq-tcp", receivers="2", link_rate="100-mbit"))
    if record.status == "invalid":
        assert "generator_keeps_up" in record.reason or "is not held" in record.reason, "a machine that is too busy"
        return
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == PLAYED
    assert (
        0 <= found["frames_lost_ratio"] + found["frames_late_ratio"] == pytest.approx(1 - found["frames_in_time_ratio"])
    )
    assert 0 < found["frame_latency_median_seconds"] <= found["frame_latency_p99_seconds"]
    [trial] = record.attachments["trials"]
    shown = sum(w["due"] - w["lost"] for w in trial["watched"])
    assert found["stream_bits_per_second"] == pytest.approx(8 * trial["sent_bytes"] / shown * 10)
    assert {"generator_keeps_up", "content", "completeness", "delivered"} <= {g.gate for g in record.validity if g.ok}
    assert [w["due"] for w in trial["watched"]] == [10, 10]
    assert {c.step for c in record.commands} - {"prepare"} == {
        "stream-1 sender",
        "stream-1 watcher-0",
        "stream-1 watcher-1",
    }
    assert record.environment["live.user"] == "nobody" and isinstance(
        record.environment["live.capture_real_time"], bool
    )
    assert {"av", "cyomtlib", "libsrt"} <= record.experiment.fingerprint["tools"].keys()
    assert str(bed.root) not in record.model_dump_json()


@pytest.mark.parametrize(
    ("task", "metric", "most"),
    [("receivers", "receivers_sustained_count", 2), ("streams", "live_streams_sustained_count", 1)],
)
def test_the_largest_number_is_looked_for(bed, task, metric, most):
    record = measured(bed, planned(bed, task=task))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == {metric, metric.replace("sustained", "failed")} and 0 <= found[metric] <= most
    limit = record.environment[f"{metric.removesuffix('_sustained_count')}.limited_by"]
    assert (limit == "most_streams") == (found[metric] == most)
    if task == "receivers":
        assert {t["receivers"] for t in record.attachments["trials"]} <= {1, 2}


def test_streams_are_added_one_at_a_time_and_their_load_is_kept(bed):
    record = measured(bed, planned(bed, SCALE | {"most_streams": 3}, task="streams"))
    assert (record.status, record.reason) == ("ok", None)
    trials = record.attachments["trials"]
    assert [t["streams"] for t in trials] == [1, 2, 3]
    for number, trial in enumerate(trials, 1):
        assert trial["due"] == 10 * number and 0 <= trial["lost"] + trial["late"] <= trial["due"]
        assert trial["link_bits_per_second"] == pytest.approx(8 * trial["sent_bytes"] / trial["seconds"])
        assert trial["senders_cpu_ratio"] > 0 and trial["receivers_cpu_ratio"] > 0
        assert trial["senders_cpu_ratio"] + trial["receivers_cpu_ratio"] < trial["processors_busy_ratio"] + 0.1
        assert trial["lost"] == trial["due"] or 0 < trial["latency_median_seconds"] <= trial["latency_p99_seconds"]
    assert trials[2]["link_bits_per_second"] > 1.5 * trials[0]["link_bits_per_second"] or trials[2]["lost"]
    limit = record.environment["live.limited_by"]
    assert limit in ("most_streams", "processor", "sender", "receivers")
    assert (limit == "most_streams") == (values(record)["live_streams_failed_count"] == 0)


@pytest.mark.parametrize("clock", ["exact", "one-frame-slow"])
def test_a_soak_finds_the_drift_of_a_slow_clock(bed, clock):
    record = measured(bed, planned(bed, stream="speedhq-tcp", task="soak", receiver_clock=clock))
    if record.status == "invalid":
        assert "generator_keeps_up" in record.reason, "a machine that is too busy"
        return
    assert (record.status, record.reason) == ("ok", None)
    found, kept = values(record), record.attachments["drift"]
    assert found["latency_drift_minute_seconds"] == pytest.approx(abs(kept["slope_ms_per_minute"]) / 1e3, abs=1e-8)
    assert found["latency_drift_most_minute_seconds"] >= found["latency_drift_minute_seconds"]
    assert kept["low_ms_per_minute"] <= kept["slope_ms_per_minute"] <= kept["high_ms_per_minute"]
    given = -1000 if clock == "one-frame-slow" else 0  # 100 ms in 6 s
    assert abs(kept["slope_ms_per_minute"] - given) < 500, "nearer to this clock's drift than to the other's"
    if given:
        assert kept["detected"] and found["latency_drift_detected_ratio"] == 1


@pytest.mark.parametrize("task", ["outage", "readdress", "restart"])
@pytest.mark.parametrize("stream", ["vmx-omt", "speedhq-tcp", "speedhq-srt"])
def test_pictures_are_shown_again_after_an_interruption_or_never(bed, stream, task):
    record = measured(bed, planned(bed, stream=stream, task=task))
    if record.status == "invalid":
        assert "generator_keeps_up" in record.reason or "took too long" in record.reason, "a machine that is too busy"
        return
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert ("shown_again_seconds" in found) == bool(found["shown_again_ratio"])
    assert ("absent.shown_again_seconds" in record.environment) != bool(found["shown_again_ratio"])
    if stream == "speedhq-tcp":
        assert 0 < found["shown_again_seconds"] <= 6


def test_a_link_gets_narrower_and_wide_again(bed):
    record = measured(bed, planned(bed, task="squeeze", content="noise"))
    if record.status == "invalid":
        assert "generator_keeps_up" in record.reason, "a machine that is too busy"
        return
    assert (record.status, record.reason) == ("ok", None)
    stairs = record.attachments["staircase"]
    assert [step["share"] for step in stairs["steps"]] == [1.5, 1.25, 1.0, 0.75, 0.5] and stairs[
        "free_bytes_per_second"
    ] > 0
    found = values(record)
    for metric, value in (("link_needed_bits_per_second", None), ("recovery_seconds", stairs["recovery_seconds"])):
        assert (metric in found) != (f"absent.{metric}" in record.environment)
        assert value is None or found[metric] == value
    for what in ("lost", "late"):
        assert found[f"squeezed_half_{what}_ratio"] == pytest.approx(stairs["steps"][-1][f"{what}_ratio"], abs=1e-4)
    assert found["squeezed_half_lost_ratio"] + found["squeezed_half_late_ratio"] > 0, (
        "half of what noise takes is not enough"
    )


def test_without_an_encoder_it_is_unsupported(bed):
    record = measured(bed, planned(bed, stream="hap-tcp"))
    assert record.status == "unsupported" and "without an encoder of hap" in record.reason
    assert not record.measurements and not [c for c in record.commands if c.step != "prepare"]


@pytest.mark.parametrize("who", ["sender", "watcher"])
def test_a_program_that_crashes_in_mid_trial_failed(bed, who):
    spec = planned(bed, SCALE | {"seconds": 20}, stream="mjpeg-tcp")
    process = bed.measure(spec)
    os.kill(running(bed, who, process), signal.SIGSEGV)
    assert process.wait(120) == 0, process.stdout.read()
    record = read_record(spec.parent / "rep-1.json")
    assert record.status == "failed" and f"stream-1 {who}" in record.reason and "exit code -11" in record.reason
    assert not record.measurements and bed.leftovers() == []


def test_a_link_that_is_torn_down_in_mid_trial_is_no_result(bed):
    spec = planned(bed, SCALE | {"seconds": 20})
    process = bed.measure(spec)
    sender = running(bed, "sender", process)
    card = Path(f"/proc/{sender}/net/dev").read_text().splitlines()[-1].split(":")[0].strip()
    subprocess.run(["nsenter", f"--net=/proc/{sender}/ns/net", "ip", "link", "set", card, "down"], check=True)
    os.kill(sender, signal.SIGSEGV)
    said, _ = process.communicate(timeout=120)
    assert process.returncode != 0 and "went down" in said, said
    assert not list(spec.parent.glob("rep-*.json")) and bed.leftovers() == []


def test_memory_that_is_full_is_told_and_no_result(bed):
    spec = planned(bed)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(bed.memory)], check=True)
    try:
        said = bed.call(spec, code=2)
        assert "is full" in said and str(bed.memory) in said, said
        assert not list(spec.parent.glob("rep-*.json")) and not list(bed.memory.glob("*/scratch"))
    finally:
        subprocess.run(["umount", str(bed.memory)], check=True)


def running(bed, who, process):
    """The number of a program of the trial, once that has begun."""
    while process.poll() is None:
        if list(bed.memory.glob("*/scratch/begin")):
            for entry in Path("/proc").glob("[0-9]*/cmdline"):
                words = entry.read_bytes().split(b"\0")
                if (
                    words[0].endswith(b"python")
                    and f"spindlemark.families.live_video.{who}".encode() in words
                    and str(bed.memory).encode() in b" ".join(words)
                ):
                    return int(entry.parent.name)
        time.sleep(0.05)
    raise AssertionError(process.stdout.read())


@pytest.mark.parametrize(
    ("factor", "value", "told"),
    [
        ("stream", "ndi-tcp", "there is no 'ndi-tcp'"),
        ("stream", "vmx-tcp", "use one of"),
        ("format", "500p30", "no '500p30'"),
        ("format", "720p0", "no '720p0'"),
        ("content", "cats", "no content is called 'cats'"),
        ("task", "watch", "no task"),
        ("receivers", "65", "write a number"),
        ("colour", "red", "unknown factor colour"),
        ("receiver_clock", "fast", "no 'fast'"),
        ("receiver_clock", "one-frame-slow", "the task play has none"),
    ],
)
def test_bad_factors_are_told(factor, value, told):
    chosen = {"stream": "vmx-omt", "format": "720p30", "content": "smooth", "task": "play"} | {factor: value}
    with pytest.raises(UserError, match=told):
        live_video.factors(chosen, live_video.Scale.model_validate(SCALE), 0)


def test_a_search_has_receivers_of_its_own():
    chosen = {"stream": "vmx-omt", "format": "720p30", "content": "smooth", "task": "receivers", "receivers": "2"}
    with pytest.raises(UserError, match="has a number of its own"):
        live_video.factors(chosen, live_video.Scale.model_validate(SCALE), 0)
    with pytest.raises(UserError, match="content: is missing"):
        live_video.factors({"stream": "vmx-omt", "format": "720p30"}, live_video.Scale.model_validate(SCALE), 0)
