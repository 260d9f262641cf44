"""Frames and the ways of storing them, without a device."""

import os
from types import SimpleNamespace

import av
import h5py
import imageio_ffmpeg
import numpy as np
import pytest

from spindlemark.core.process import programs
from spindlemark.families import registry as families
from spindlemark.families.frame_storage import frame_files, frame_program, sequence
from spindlemark.families.frame_storage.layouts import LOOSE, STORES
from spindlemark.families.frame_storage.stored_frames import FilterMissingError
from spindlemark.site.charts import frame_storage

SHAPE = sequence.Sequence(4, 72, 96, 12)
HDF5 = [name for name, store in STORES.items() if store.kind == "hdf5"]
PLAIN = {LOOSE, "dpx", "tar", "contiguous"}  # samples as they are, in one piece for each frame


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frames")
    sequence.draw(SHAPE, "natural", 1, folder)
    return folder


@pytest.mark.parametrize(("bits", "begins"), [(8, "b8c6d8574bf5e11a"), (12, "12cab1da554da60c")])
def test_a_seed_draws_the_same_frames_everywhere(tmp_path, bits, begins):
    sequence.draw(sequence.Sequence(1, 72, 96, bits), "lines", 1, tmp_path)
    assert sequence.digests(tmp_path, "frames")[0].startswith(begins)


@pytest.mark.parametrize("store", STORES)
def test_every_way_of_storing_gives_back_what_was_drawn(memory, tmp_path, store):
    samples, target = sequence.drawn(SHAPE, memory), tmp_path / "stored"
    frame_files.write(store, SHAPE, samples, target)
    frame, patch = np.empty(SHAPE.shape, SHAPE.dtype), np.empty((12, 16, 3), SHAPE.dtype)
    with frame_files.opened(store, SHAPE, target) as stored:
        for number in (2, 0, 3, 1):
            stored.frame(number, frame)
            stored.patch(number, patch)
            assert sequence.digest(frame) == sequence.digests(memory, "frames")[number]
            assert sequence.digest(patch) == sequence.digests(memory, "patches")[number]
        if store in PLAIN | {"chunks", "tiles"}:
            assert stored.least([0, 1, 2, 3], False) == SHAPE.payload == 2 * stored.least([1, 2], False)
            expected = SHAPE.payload / 36 * (1 if store in PLAIN else 4 if store == "tiles" else 36)
            assert stored.least([0, 1, 2, 3], True) == expected
        else:
            assert 0 < stored.least([1], False) < stored.least([0, 1, 2, 3], False) < 1.1 * SHAPE.payload


@pytest.mark.parametrize(("store", "parts"), [("chunks", True), ("tiles", False), ("zstd", False)])
def test_of_a_large_chunk_without_filters_only_the_patch_has_to_be_read(tmp_path, store, parts):
    """A frame of 16.6 MB; the cache of chunks has 8 MiB."""
    large = sequence.Sequence(1, 1440, 1920, 12)
    sequence.draw(large, "noise", 1, tmp_path)
    frame_files.write(store, large, sequence.drawn(large, tmp_path), tmp_path / "stored")
    with frame_files.opened(store, large, tmp_path / "stored") as stored:
        assert (stored.least([0], True) == large.frame_bytes / 36) == parts


@pytest.mark.parametrize("bits", [8, 12])
@pytest.mark.parametrize("store", ["dpx", "exr", "ffv1", "tar"])
def test_another_program_reads_the_same_samples(tmp_path, store, bits):
    """FFmpeg has decoders of its own for DPX and OpenEXR; GNU tar unpacks."""
    if (store, bits) == ("exr", 8):
        pytest.skip("OpenEXR has no samples of 8 bits")
    shape = sequence.Sequence(2, 72, 96, bits)
    sequence.draw(shape, "natural", 1, tmp_path)
    drawn, target = sequence.drawn(shape, tmp_path), tmp_path / "stored"
    frame_files.write(store, shape, drawn, target)
    if store == "tar":
        (tmp_path / "unpacked").mkdir()
        assert programs.run(["tar", "-xf", target, "-C", tmp_path / "unpacked"]).returncode == 0
        target = tmp_path / "unpacked"
    first = target if store == "ffv1" else sorted(target.iterdir())[1]
    with av.open(str(first)) as file:
        frames = list(file.decode(video=0))
    frame = frames[1] if store == "ffv1" else frames[0]
    if store == "exr":  # planes of green, blue and red, in the 16 bits of half floats
        assert frame.format.name == "gbrpf16le"
        green, blue, red = (np.frombuffer(plane, "<u2").reshape(72, -1)[:, :96] for plane in frame.planes)
        assert np.array_equal(np.stack([red, green, blue], axis=-1), drawn[1])
        return
    kind = "rgb24" if bits == 8 else "gbrp12le" if store == "ffv1" else "rgb48be"
    assert np.array_equal(frame.to_ndarray(format=kind), drawn[1])


@pytest.mark.parametrize("store", STORES)
def test_one_frame_is_written_again_and_the_others_stay(memory, tmp_path, store):
    drawn, target = sequence.drawn(SHAPE, memory), tmp_path / "stored"
    frame_files.write(store, SHAPE, drawn, target)
    with frame_files.opened(store, SHAPE, target, writes=True) as stored:
        stored.rewrite(2, np.array(drawn[0]))
    back = np.empty(SHAPE.shape, SHAPE.dtype)
    with frame_files.opened(store, SHAPE, target) as stored:
        for number, source in enumerate((0, 1, 0, 3)):
            stored.frame(number, back)
            assert np.array_equal(back, drawn[source]), number
    assert not list(tmp_path.rglob("*.part*")), "nothing else is left"


def test_a_player_that_waits_has_late_frames():
    assert frame_program.late([5 + n / 24 for n in range(100)]) == 0
    assert frame_program.late([5 + n / 12 for n in range(48)]) == 23, (
        "at half the speed, a second ahead lasts for 24 frames"
    )


def test_single_frames_and_patches_are_some_of_many():
    assert frame_program.numbers("row", 100, 1) == list(range(100))
    single, patch = (frame_program.numbers(task, 100, 1) for task in ("single", "patch"))
    assert len(set(single)) == 48 and single != sorted(single)
    assert len(patch) == 48 and (patch[0], patch[-1]) == (0, 99)
    assert sorted(frame_program.numbers("single", 4, 1)) == frame_program.numbers("patch", 4, 1) == [0, 1, 2, 3]


@pytest.mark.parametrize("store", ["loose", "ffv1", "zarr", "chunks"])
def test_a_long_sequence_repeats_its_frames(tmp_path, monkeypatch, store):
    """Three different frames, seven in all: reading holds the last three, and `check` compares every one."""
    monkeypatch.setattr(sequence, "DISTINCT", 3)
    monkeypatch.setattr(frame_program, "SOME", 3)
    shape = sequence.Sequence(7, 72, 96, 12)
    sequence.draw(shape, "natural", 1, tmp_path)
    drawn, target = sequence.drawn(shape, tmp_path), tmp_path / "stored"
    assert len(drawn) == len(list(drawn)) == 7 and drawn[-2:].shape == (2, 72, 96, 3)
    assert np.array_equal(drawn[5], drawn[2]) and not np.array_equal(drawn[5], drawn[4])
    frame_files.write(store, shape, drawn, target)
    given = SimpleNamespace(task="row", store=store, target=target, memory=tmp_path, seed=1)
    row, check = frame_program._read(given, shape), frame_program._check(given, shape)
    assert (row["frames"], row["held"], row["intact"]) == (7, 3, 3) and check == {"frames": 7, "intact": 7}
    other = sequence.Sequence(7, 72, 96, 12)
    sequence.draw(other, "text", 1, tmp_path)
    assert frame_program._check(given, shape)["intact"] == frame_program._read(given, shape)["intact"] == 0


@pytest.mark.parametrize("folder", [True, False])
def test_one_bit_of_all_that_is_stored_is_flipped(tmp_path, folder):
    target = tmp_path / "stored"
    if folder:
        target.mkdir()
    files = [target / "a", target / "b"] if folder else [target]
    for file in files:
        file.write_bytes(bytes(1000))
    at = frame_program.flip(target, 3)
    content = b"".join(file.read_bytes() for file in files)
    assert sum(byte.bit_count() for byte in content) == 1 and content[at]


@pytest.mark.parametrize("store", HDF5)
def test_the_recipe_of_h5repack_makes_the_same_layout(memory, tmp_path, store):
    """The line that the site shows, typed."""
    frame_files.write("contiguous", SHAPE, sequence.drawn(SHAPE, memory), tmp_path / "INPUT.h5")
    settings = {"store.name": store, "writer": "h5repack", "format.height": "72", "format.width": "96"}
    (line,) = families.recipe("frame_storage", settings)
    line = line.replace("python3", f"{programs.PYTHON[0]} -P")
    assert programs.run(["sh", "-c", line], cwd=tmp_path).returncode == 0
    with frame_files.opened(store, SHAPE, tmp_path / "OUTPUT.h5") as stored:
        assert stored.stored.chunks == STORES[store].chunk(SHAPE.shape)


@pytest.mark.parametrize("store", ["contiguous", "szip", "tiles-bitshuffle-lz4"])
def test_the_recipe_of_python_makes_the_same_layout(tmp_path, store):
    settings = {
        "store.name": store,
        "writer": "python",
        "format.height": "72",
        "format.width": "96",
        "format.bits": "8",
    }
    line = (
        families.recipe("frame_storage", settings)[-1]
        .replace("python3", f"{programs.PYTHON[0]} -P")
        .replace("FRAMES", "4")
    )
    assert programs.run(["sh", "-c", line], cwd=tmp_path).returncode == 0
    with h5py.File(tmp_path / "OUTPUT.h5") as made:
        assert made["frames"].chunks == STORES[store].chunk((72, 96, 3)) and made["frames"].shape == (4, 72, 96, 3)


@pytest.mark.parametrize("bits", [8, 12])
def test_dpx_files_become_a_film_and_come_back_to_the_byte(tmp_path, monkeypatch, bits):
    """The lines that the site shows, typed, on files whose heads differ as those of a scanner do."""
    there = tmp_path / "there"
    shape = sequence.Sequence(4, 72, 96, bits)
    sequence.draw(shape, "natural", 1, tmp_path)
    frame_files.write("dpx", shape, sequence.drawn(shape, tmp_path), there)
    files = sorted(there.glob("*.dpx"))
    for number, path in enumerate(files):
        with path.open("r+b") as file:
            file.seek(160)  # the creator's name
            file.write(f"scanner, reel 7, frame {number}".encode())
    lines = families.recipe("frame_storage", {"store.name": "ffv1", "format.bits": str(bits)})
    (tmp_path / "ffmpeg").symlink_to(imageio_ffmpeg.get_ffmpeg_exe())
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    originals = {path.name: path.read_bytes() for path in files}
    done = programs.run(["sh", "-e", "-c", "\n".join(lines)], cwd=there)
    assert done.returncode == 0 and not done.stdout, done.stderr
    assert len(originals) == 4 and len({content[:2048] for content in originals.values()}) == 4
    assert {path.name: path.read_bytes() for path in (there / "back").glob("frame-*")} == originals
    assert {path.name: path.read_bytes() for path in there.glob("*.dpx")} == originals


def test_a_file_of_another_kind_is_refused(memory, tmp_path):
    frame_files.write("chunks", SHAPE, sequence.drawn(SHAPE, memory), tmp_path / "stored")
    with (
        pytest.raises(FilterMissingError, match="the file has no filter 4"),
        frame_files.opened("szip", SHAPE, tmp_path / "stored"),
    ):
        pass
    with (
        pytest.raises(ValueError, match="the file holds"),
        frame_files.opened("chunks", sequence.Sequence(5, 72, 96, 12), tmp_path / "stored"),
    ):
        pass


def test_a_library_without_the_filter_says_so(memory, tmp_path, monkeypatch):
    monkeypatch.setattr(h5py.h5z, "filter_avail", lambda number: number != 32008)
    with pytest.raises(FilterMissingError, match="this HDF5 library has no filter 32008"):
        frame_files.write("bitshuffle-lz4", SHAPE, sequence.drawn(SHAPE, memory), tmp_path / "stored")


def test_points_of_one_size_stand_beside_one_another():
    found = frame_storage._shifts({"loose": 1000.0, "chunks": 1001.0, "tiles": 1005.0, "gzip": 600.0})
    assert found["gzip"] == 0 and found["chunks"] == 0
    assert found["tiles"] == -found["loose"] == pytest.approx(0.02 * 1005)
    assert frame_storage._shifts({}) == {}
