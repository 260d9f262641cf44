"""Codecs measured on processors and memory alone, and what becomes of it when a tool fails."""

import pytest

from bed import Bed
from families_bed import measured, planned, values
from spindlemark import config
from spindlemark.core import paths, running
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Broken, Failed, Unsupported
from spindlemark.core.process import programs
from spindlemark.core.record import read_spec
from spindlemark.families import registry as families
from spindlemark.families.shared.codecs import ffmpeg, vmx
from spindlemark.families.shared.codecs.bd_rate import Point, rate_ratio
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import processor

AMOUNT = {"image_size": "160 MiB", "scale": {"frames": 2, "timed_frames": 4}}
OF_CURVES = {"bd_psnr_ratio", "bd_ssim_ratio", "bd_vmaf_ratio", "transcode_hour_seconds"}
OF_LIVE = {"equal_psnr_ratio", "equal_ssim_ratio", "equal_vmaf_ratio", "pixel_bits_count"}
FACTORS = {"content": "lines", "rate": "100-mbit", "generations": "1-generation", "format": "720p50"}


@pytest.fixture
def bed(tmp_path, needs_root):
    made = Bed(tmp_path)
    made.write(
        "testbeds",
        made.testbed,
        {"description": "For a test", "kind": "processor", "memory": str(made.memory), "busy_bound": 0.1},
    )
    yield made
    made.remove()


def spec(bed, codec, amount=AMOUNT, **changes):
    return planned(bed, "codec_quality", None, amount, **({"codec": codec} | FACTORS | changes))


def test_everything_is_measured_and_nothing_stays(bed):
    record = measured(bed, spec(bed, "speedhq", generations="2-generations"))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("codec_quality").keys() - OF_CURVES - OF_LIVE
    assert found["stream_bits_per_second"] <= 100e6 and found["psnr_db"] > 30
    assert record.environment["codec.setting"] in record.experiment.factors["codec"]["settings"]
    assert record.experiment.fingerprint["device"]["kind"] == "processor"
    assert (
        record.experiment.fingerprint["tools"]["imageio-ffmpeg"] and record.experiment.fingerprint["tools"]["cyomtlib"]
    )
    assert set(record.attachments["crop"]["png"]) == {"original", "decoded"}
    assert [c.step for c in record.commands].count("code") == 4, "each generation is encoded and decoded"
    assert list(bed.memory.iterdir()) == []


def test_a_curve_is_compared_with_the_anchors_and_film_is_transcoded(bed):
    """SpeedHQ codes nearly as Motion JPEG does, so it needs nearly as many bits."""
    record = measured(bed, spec(bed, "speedhq", content="natural", rate="curve"))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == OF_CURVES
    assert all(0.5 < found[f"bd_{quality}_ratio"] < 2 for quality in ("psnr", "ssim"))
    curve = record.attachments["curve"]
    assert rate_ratio(*([Point(*p) for p in curve[whose]["psnr"]] for whose in ("anchor", "codec"))) == pytest.approx(
        found["bd_psnr_ratio"]
    )
    (command,) = [c for c in record.commands if c.step == "transcode"]
    assert command.argv[command.argv.index("-stream_loop") + 1] == "249", "ten seconds of 50 frames, from two frames"


def test_a_codec_that_cannot_go_so_low_has_failed(bed):
    record = measured(bed, spec(bed, "hap", content="noise", rate="25-mbit"))
    assert record.status == "failed" and record.reason.startswith("no setting is within 25 Mbit/s: hap takes ")


class Here:
    """Steps in this process, where tools can be exchanged; the testbed is real."""

    def __init__(self, bed, codec="speedhq", **changes):
        self.spec = read_spec(spec(bed, codec, **changes))
        registry = config.load(bed.root / "config")
        self.repetition = Repetition(
            self.spec, 1, registry, registry.testbeds[bed.testbed], families.metrics("codec_quality")
        )
        self.bed = bed

    def run(self):
        name, declared = self.bed.testbed, self.repetition.declared
        try:
            with processor.opened(
                name, declared, self.spec.experiment.fingerprint["device"]["bytes"], {}, None
            ) as bench:
                self.repetition.testbed = bench
                families.get("codec_quality").steps(self.repetition)
        finally:
            processor.clean(name, declared)
            running.remove()


@pytest.fixture
def worse(tmp_path, monkeypatch):
    """ffmpeg, but what it says instead where its words are like a pattern of the shell."""

    def put(pattern, says):
        tool = tmp_path / "ffmpeg"
        tool.write_text(f'#!/bin/sh\ncase "$*" in {pattern}) {says};; esac\nexec {ffmpeg.PROGRAM} "$@"\n')
        tool.chmod(0o755)
        programs.declare([str(tool)], ffmpeg.PACKAGE)
        monkeypatch.setattr(ffmpeg, "PROGRAM", str(tool))

    return put


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ("kill -SEGV $$", "exit code -11"),
        ("echo out of luck >&2; exit 3", "exit code 3: out of luck"),
        ("head -c 1843200 /dev/zero > $BACK; exit 0", "1 of 2 frames came back"),
    ],
)
def test_a_decoder_that_fails_in_the_middle_is_a_failed_subject(bed, worse, says, reason):
    here = Here(bed)
    worse("*decoded", says.replace("$BACK", str(bed.memory / f"{paths.folder_name()}-work" / "decoded")))
    with pytest.raises(Failed, match=reason):
        here.run()
    assert {m.metric for m in here.repetition.measurements} == {"stream_bits_per_second"} and list(
        bed.memory.iterdir()
    ) == []


def test_full_memory_is_no_fault_of_the_codec(bed, worse):
    worse("*decoded", "echo decoded: No space left on device >&2; exit 1")
    with pytest.raises(Broken, match="is full"):
        Here(bed).run()


def test_without_its_library_a_codec_is_unsupported_and_without_libvmaf_one_score(bed, worse, monkeypatch):
    here = Here(bed)
    worse("*filter=libvmaf", "echo Unknown filter; exit 0")
    here.run()
    assert "vmaf_score" not in {m.metric for m in here.repetition.measurements}
    assert here.repetition.notes["absent.vmaf_score"] == "unsupported: this ffmpeg has no libvmaf"
    monkeypatch.setattr(ffmpeg, "PROGRAM", "imageio-ffmpeg")
    with pytest.raises(Unsupported, match="the Python package imageio-ffmpeg brings it"):
        Here(bed).run()
    monkeypatch.setattr(vmx, "library", lambda: None)
    with pytest.raises(Unsupported, match="VMX .* is not installed: the Python package cyomtlib"):
        Here(bed, "vmx").run()


def test_more_than_memory_holds_is_told_before_anything_is_written(bed):
    declared = config.load(bed.root / "config").testbeds[bed.testbed]
    with (
        pytest.raises(UserError, match="work of 1125899906842624 bytes"),
        processor.opened(bed.testbed, declared, 1 << 50, {}, None),
    ):
        pass
    with (
        pytest.raises(UserError, match="is not a folder in memory"),
        processor.opened(bed.testbed, declared.model_copy(update={"memory": "/proc"}), 1, {}, None),
    ):
        pass
    assert list(bed.memory.iterdir()) == []


def test_what_cannot_be_planned_names_its_key(bed):
    for changes, amount, match in (
        ({"content": "snow"}, AMOUNT, "content: there is no 'snow'"),
        ({"bits": "8"}, AMOUNT, "bits: the family has no such"),
        ({}, AMOUNT | {"image_size": "1 MiB"}, "frames: 2 of 720p50 take up to"),
        ({}, {"scale": {"frames": 1, "timed_frames": 4}}, "families.codec_quality.scale.frames"),
    ):
        with pytest.raises(UserError, match=match):
            spec(bed, "speedhq", amount, **changes)
