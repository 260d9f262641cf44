"""Codecs by their commands: what comes back of pictures, and what a broken stream or tool is called."""

import io
import subprocess
from base64 import b64decode

import numpy as np
import pytest
from PIL import Image

from spindlemark.families.shared.codecs import ffmpeg, fidelity, vmx
from spindlemark.families.shared.codecs.codecs import CODECS
from spindlemark.families.shared.codecs.ffmpeg import Shape
from spindlemark.families.shared.media import pictures

SHAPE = Shape(320, 192, 25)
FRAMES = 3


@pytest.fixture
def original(tmp_path):
    clip = pictures.clip("natural", SHAPE.width, SHAPE.height)
    (tmp_path / "settle").write_bytes(b"".join(f.planar() for f in clip.frames(8)))
    (tmp_path / "original").write_bytes(b"".join(clip.frame(n).planar() for n in range(8, 8 + FRAMES)))
    return tmp_path / "original"


def call(*argv):
    return subprocess.run([str(word) for word in argv], capture_output=True, text=True, check=False)


def coded(codec, setting, original):
    target = original.parent / "coded"
    done = call(*CODECS[codec].encode(SHAPE, setting, original, target, original.parent / "settle"))
    assert done.returncode == 0, done.stderr
    return target, ffmpeg.bench(done.stderr)


def test_ffv1_returns_each_picture_unchanged(original):
    target, _ = coded("ffv1", "lossless", original)
    back = original.parent / "back"
    assert call(*CODECS["ffv1"].decode(SHAPE, target, back)).returncode == 0
    assert back.read_bytes() == original.read_bytes() and target.stat().st_size < original.stat().st_size


def test_a_curve_goes_from_the_most_bits_to_the_fewest():
    assert CODECS["mjpeg"].curve == ["2", "8", "14", "19", "25", "31"]
    assert CODECS["prores"].curve == ["hq", "standard", "lt", "proxy"]


def test_only_timed_encoders_are_held_to_one_thread():
    codec = CODECS["hevc-intra"]
    assert codec.ffmpeg_words("20")[-1] == "keyint=1:log-level=error"
    assert codec.ffmpeg_words("20", one=True)[-1] == "keyint=1:log-level=error:pools=none:frame-threads=1"


@pytest.mark.parametrize("codec", [name for name, codec in CODECS.items() if len(codec.settings) > 1])
def test_more_bits_keep_more_of_the_picture(codec, original):
    first, *_, last = CODECS[codec].settings
    found = []
    for setting in (first, last):
        target, bench = coded(codec, setting, original)
        back = original.parent / "back"
        done = call(*CODECS[codec].decode(SHAPE, target, back))
        assert done.returncode == 0, done.stderr
        assert bench.seconds > 0 and bench.cpu_seconds >= 0 and ffmpeg.bench(done.stderr).seconds > 0
        found.append((target.stat().st_size, fidelity.compare(SHAPE, back, original)))
    (large, good), (small, poor) = found
    assert small < large < original.stat().st_size and good.error < poor.error < 40, found
    assert good.psnr > 32, "no conversion of colours or range is taken for a loss of the codec"


def test_the_same_words_give_the_same_bytes(original):
    for codec, setting in (("vmx", "sq"), ("speedhq", "4")):
        assert coded(codec, setting, original)[0].read_bytes() == coded(codec, setting, original)[0].read_bytes()


def test_a_stream_that_ends_inside_a_frame_is_refused(original, tmp_path):
    target, _ = coded("vmx", "sq", original)
    data = target.read_bytes()
    for length in (len(data) - 1, 2):
        target.write_bytes(data[:length])
        done = call(*CODECS["vmx"].decode(SHAPE, target, tmp_path / "back"))
        assert (done.returncode, done.stderr.strip()) == (1, "the stream ends inside a frame")
        assert not (tmp_path / "back").exists()


def test_structure_and_films_are_judged_by_ffmpeg(original, tmp_path):
    done = call(*ffmpeg.compare(SHAPE, original, original, vmaf=True))
    assert ffmpeg.ssim(done.stderr) == 1.0 and 90 < ffmpeg.vmaf(done.stderr) <= 100
    with pytest.raises(ValueError, match="VMAF"):
        ffmpeg.vmaf(call(*ffmpeg.compare(SHAPE, original, original, vmaf=False)).stderr)
    assert "Unknown filter" in (done := call(*ffmpeg.has_filter("no_such"))).stdout + done.stderr
    with pytest.raises(ValueError, match="no line of times"):
        ffmpeg.bench("killed")


def test_the_error_is_that_of_all_samples_and_the_place_that_of_luma(tmp_path):
    frames = np.full((2, SHAPE.frame_bytes), 100, np.uint8)
    frames.tofile(tmp_path / "one")
    frames[1, 70 * SHAPE.width + 130] = 130
    frames.tofile(tmp_path / "other")
    found = fidelity.compare(SHAPE, tmp_path / "other", tmp_path / "one")
    assert found.error == pytest.approx((900 / frames.size) ** 0.5) and (found.frame, found.row, found.column) == (
        1,
        64,
        128,
    )
    assert found.psnr == pytest.approx(10 * np.log10(255**2 * frames.size / 900))
    assert fidelity.compare(SHAPE, tmp_path / "one", tmp_path / "one").psnr == fidelity.LOSSLESS_DB
    image = Image.open(io.BytesIO(b64decode(fidelity.crop(SHAPE, tmp_path / "other", found))))
    assert image.size == (fidelity.CROP, fidelity.CROP) and image.getpixel((2, 6)) != image.getpixel((3, 6)), (
        "the sample is seen"
    )
    (tmp_path / "one").write_bytes(b"short")
    with pytest.raises(ValueError, match="against 5,"):
        fidelity.compare(SHAPE, tmp_path / "other", tmp_path / "one")


def test_a_shift_there_and_back_changes_nothing(original, tmp_path):
    fidelity.shift(SHAPE, original, tmp_path / "moved", 3)
    before, after = (
        pictures.from_planar(path.read_bytes()[: SHAPE.frame_bytes], *SHAPE[:2])
        for path in (original, tmp_path / "moved")
    )
    assert np.array_equal(before.luma[:-3, :-6], after.luma[3:, 6:]) and np.array_equal(
        before.red[:-3, :-3], after.red[3:, 3:]
    )
    fidelity.shift(SHAPE, tmp_path / "moved", tmp_path / "moved", -3)
    assert (tmp_path / "moved").read_bytes() == original.read_bytes()


def test_colours_on_a_screen_are_those_of_the_samples():
    from spindlemark.families.shared.media.pictures import planes

    rgb = np.array([[1.0, 0, 0], [1, 0, 0], [0.2, 0.5, 0.7], [0.2, 0.5, 0.7]])
    luma, blue, red = planes.colours(rgb).T
    back = planes.shown(luma[None], blue[None, ::2], red[None, ::2])[0] / 255
    assert np.abs(back - rgb).max() < 0.01


def test_a_library_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(vmx, "library", lambda: None)
    assert not CODECS["vmx"].here and CODECS["vmx"].package == "cyomtlib"
    with pytest.raises(RuntimeError, match="cyomtlib is not installed"):
        vmx._Codec(320, 192, 166)
