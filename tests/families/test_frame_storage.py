"""Frames and the ways of storing them, without a device."""

import h5py
import numpy as np
import pytest

from spindlemark.core.process import programs
from spindlemark.families import registry as families
from spindlemark.families.frame_storage import frame_files, sequence
from spindlemark.families.frame_storage.layouts import LOOSE, STORES
from spindlemark.site.charts import frame_storage

SHAPE = sequence.Sequence(4, 72, 96, 12)


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
    frame_files.write(store, samples, target)
    frame, patch = np.empty(SHAPE.shape, SHAPE.dtype), np.empty((12, 16, 3), SHAPE.dtype)
    with frame_files.opened(store, SHAPE, target) as stored:
        for number in (2, 0, 3, 1):
            stored.frame(number, frame)
            stored.patch(number, patch)
            assert sequence.digest(frame) == sequence.digests(memory, "frames")[number]
            assert sequence.digest(patch) == sequence.digests(memory, "patches")[number]
        if not STORES[store].filters:
            assert stored.least(False) == SHAPE.payload
        expected = SHAPE.payload / 36 * (1 if store in (LOOSE, "contiguous") else 4 if store == "tiles" else 36)
        assert STORES[store].filters or stored.least(True) == expected


@pytest.mark.parametrize("store", [name for name in STORES if name != LOOSE])
def test_the_recipe_of_h5repack_makes_the_same_layout(memory, tmp_path, store):
    """The line that the site shows, typed."""
    frame_files.write("contiguous", sequence.drawn(SHAPE, memory), tmp_path / "INPUT.h5")
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


def test_a_file_of_another_kind_is_refused(memory, tmp_path):
    frame_files.write("chunks", sequence.drawn(SHAPE, memory), tmp_path / "stored")
    with (
        pytest.raises(frame_files.FilterMissingError, match="the file has no filter 4"),
        frame_files.opened("szip", SHAPE, tmp_path / "stored"),
    ):
        pass
    with (
        pytest.raises(ValueError, match="the file holds"),
        frame_files.opened("chunks", sequence.Sequence(5, 72, 96, 12), tmp_path / "stored"),
    ):
        pass


def test_a_library_without_the_filter_says_so(memory, tmp_path, monkeypatch):
    monkeypatch.setattr(frame_files.h5py.h5z, "filter_avail", lambda number: number != 32008)
    with pytest.raises(frame_files.FilterMissingError, match="this HDF5 library has no filter 32008"):
        frame_files.write("bitshuffle-lz4", sequence.drawn(SHAPE, memory), tmp_path / "stored")


def test_points_of_one_size_stand_beside_one_another():
    found = frame_storage._shifts({"loose": 1000.0, "chunks": 1001.0, "tiles": 1005.0, "gzip": 600.0})
    assert found["gzip"] == 0 and found["chunks"] == 0
    assert found["tiles"] == -found["loose"] == pytest.approx(0.02 * 1005)
    assert frame_storage._shifts({}) == {}
