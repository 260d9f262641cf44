"""Curves of codecs by ffmpeg itself, on small pictures: bit rate at equal quality, the time to transcode, and live video."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute
from spindlemark.families import registry as families
from spindlemark.families.codec_quality import codec_curve, codec_live
from spindlemark.families.codec_quality.codec_work import Work
from spindlemark.families.live_video import live_codecs
from spindlemark.families.shared.codecs.bd_rate import Point, rate_ratio
from spindlemark.families.shared.codecs.codecs import CODECS

CHOSEN = {"content": "natural", "rate": "curve", "generations": "1-generation", "format": "720p50"}
SCALE = {"frames": 2, "timed_frames": 4}
SMALL = {"width": 320, "height": 192}


def curve(codec: str, folder, rate="curve") -> SimpleNamespace:
    """What an experiment measures and notes, with real commands, on pictures of 320 x 192."""
    factors = families.factors("codec_quality", CHOSEN | {"codec": codec, "rate": rate}, SCALE, 1 << 30)
    factors["format"] |= SMALL
    values, notes, commands = {}, {}, []

    def run(argv, limit):
        commands.append([str(word) for word in argv])
        done = execute(commands[-1], limit)
        assert done.exit_code == 0, done.stderr
        return done

    repetition = SimpleNamespace(
        factors=factors,
        testbed=SimpleNamespace(folder=folder),
        attachments={},
        run=run,
        step=lambda name, cold: nullcontext(),
        measure=values.__setitem__,
        note=notes.update,
    )
    work = Work(repetition)
    work.draw()
    (codec_live if rate == "live" else codec_curve).measure(work)
    return SimpleNamespace(values=values, notes=notes, commands=commands, attachments=repetition.attachments)


def test_a_codec_is_compared_with_the_anchor_and_film_is_transcoded(tmp_path):
    """SpeedHQ codes nearly as Motion JPEG does, so it needs nearly as many bits."""
    found = curve("speedhq", tmp_path)
    assert found.values.keys() == {"bd_psnr_ratio", "bd_ssim_ratio", "bd_vmaf_ratio", "transcode_hour_seconds"}
    assert 0.5 < found.values["bd_psnr_ratio"] < 2 and found.values["transcode_hour_seconds"] > 0
    drawn = found.attachments["curve"]
    anchor, tested = ([Point(*p) for p in drawn[whose]["psnr"]] for whose in ("anchor", "codec"))
    assert len(anchor) == len(tested) == 6 and found.values["bd_psnr_ratio"] == rate_ratio(anchor, tested)
    command = found.commands[-1]
    assert command[command.index("-stream_loop") + 1] == "249", "ten seconds of 50 frames, from two frames"
    assert found.notes["codec.setting"] == "19"


def test_the_anchor_needs_its_own_bits(tmp_path):
    found = curve("mjpeg", tmp_path).values
    assert [found[f"bd_{quality}_ratio"] for quality in codec_curve.QUALITIES] == pytest.approx([1, 1, 1])


def test_a_lossless_codec_has_no_curve_and_its_transcoding_is_timed(tmp_path):
    found = curve("ffv1", tmp_path)
    assert found.values.keys() == {"transcode_hour_seconds"}
    assert found.notes["absent.bd_psnr_ratio"] == "the curve of the codec has 0 points, and 4 are needed"


@pytest.mark.parametrize("rate", ["curve", "live"])
def test_a_curve_has_one_generation(rate):
    chosen = CHOSEN | {"codec": "mjpeg", "rate": rate, "generations": "2-generations"}
    with pytest.raises(
        UserError, match=f"codec_quality.yaml: generations: 2-generations does not go with rate: {rate}"
    ):
        families.factors("codec_quality", chosen, SCALE, 1 << 30)


@pytest.mark.parametrize("codec", ["vmx", "speedhq", "mjpeg", "dnxhr", "prores"])
def test_the_setting_of_live_video_is_compared_at_equal_quality(tmp_path, codec):
    """Motion JPEG needs its own bits by every measure of quality."""
    found = curve(codec, tmp_path, "live")
    assert found.values["pixel_bits_count"] == pytest.approx(found.values["stream_bits_per_second"] / (320 * 192 * 50))
    assert 25 < found.values["psnr_db"] < 60 and 0.5 < found.values["ssim_ratio"] < 1
    assert ("equal_psnr_ratio" in found.values) != ("absent.equal_psnr_ratio" in found.notes)
    if codec == "mjpeg":
        assert [found.values[f"equal_{quality}_ratio"] for quality in codec_curve.QUALITIES] == pytest.approx([1, 1, 1])
        assert found.notes["codec.setting"] == "4"
    if codec == "speedhq":
        assert 0.5 < found.values["equal_psnr_ratio"] < 2


def test_live_video_sends_only_some_codecs():
    with pytest.raises(UserError, match="rate: live: live video does not send ffv1"):
        families.factors("codec_quality", CHOSEN | {"codec": "ffv1", "rate": "live"}, SCALE, 1 << 30)


def test_live_video_sends_with_this_setting():
    """The families share the quantiser and the profiles, so that one measures the quality of the other's streams."""
    own = {name: codec.options for name, codec in live_codecs.CODECS.items()}
    assert all(own[name]["qmin"] == own[name]["qmax"] == CODECS[name].live for name in ("speedhq", "mjpeg"))
    assert own["dnxhr"]["profile"] == CODECS["dnxhr"].settings[CODECS["dnxhr"].live]
    assert own["prores"]["profile"] == CODECS["prores"].settings[CODECS["prores"].live]
