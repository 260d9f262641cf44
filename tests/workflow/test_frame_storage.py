"""Image sequences on real loop devices; a disk that is full, a filter that is missing, a file that is cut short."""

import pytest

from families_bed import held, measured, planned, values
from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.families import registry as families
from spindlemark.families.frame_storage import frame_files, frame_program, sequence
from spindlemark.families.frame_storage.layouts import STORES

TINY = {"image_size": "128 MiB", "scale": {"frames": 3}}
FACTORS = {"store": "gzip", "writer": "python", "content": "natural", "format": "540p-12-bit"}
SHAPE = sequence.Sequence(3, 36, 48, 12)


def spec(bed, filesystem="ext4", amount=TINY, **changes):
    return planned(bed, "frame_storage", filesystem, amount, **FACTORS | changes)


@pytest.mark.parametrize(
    ("filesystem", "store", "writer", "content"),
    [
        ("btrfs", "loose", "python", "natural"),
        ("ext4", "tiles-bitshuffle-lz4", "python", "text"),
        ("xfs", "zstd", "h5repack", "natural"),
        ("ext4", "dpx", "python", "natural"),
        ("ext4", "exr", "python", "natural"),
        ("xfs", "tar", "python", "natural"),
        ("ext4", "ffv1", "python", "natural"),
        ("btrfs", "zarr", "python", "natural"),
    ],
)
def test_frames_are_stored_and_come_back_from_the_device(bed, filesystem, store, writer, content):
    amount = TINY | ({"image_size": "320 MiB"} if filesystem == "xfs" else {})
    record = measured(bed, spec(bed, filesystem, amount, store=store, writer=writer, content=content))
    assert (record.status, record.reason) == ("ok", None)
    found, payload = values(record), 3 * 540 * 960 * 3 * 2
    assert found.keys() == families.metrics("frame_storage").keys()
    assert (found["stored_bytes"] == payload) == (store == "loose")
    assert found["stored_bytes"] <= payload + (1 << 16), "heads of DPX and TAR"
    assert found["write_device_written_bytes"] >= found["stored_bytes"]
    assert held(record, "content") == [True] * (5 if STORES[store].kind != "hdf5" else 6)
    assert held(record, "cold_proof") == [True] * 4
    assert found["rewrite_seconds"] > 0 and 0 <= found["play_late_ratio"] <= 1
    noticed = record.environment["flip.noticed"]
    if store in ("loose", "dpx", "tar"):
        assert (found["flip_lost_bytes"], found["flip_frames_count"], noticed) in ((2, 1, False), (0, 0, False)), (
            "one sample"
        )
    elif store == "ffv1":
        assert noticed and found["flip_frames_count"] == 1, "each slice has a checksum"
        assert found["flip_lost_bytes"] == payload / 3


def test_a_disk_that_fills_in_mid_write_is_a_failed_subject(bed):
    bed.declare_filesystem("cramped", mkfs=["mkfs.ext4", "-q", "-F", "-N", "57344"])  # 14 MiB of inode tables
    for writer in ("python", "h5repack"):
        amount = {"image_size": "20 MiB", "scale": {"frames": 6}}
        path = spec(bed, "cramped", amount, store="chunks", writer=writer)
        record = measured(bed, path)
        assert record.status == "failed" and record.reason.startswith("write: "), record.reason
        assert "row_frames_per_second" not in values(record)


def test_h5repack_that_lacks_a_filter_is_unsupported(tmp_path):
    """It says nothing, and stores the frames as they are."""
    drawn(tmp_path)
    frame_files.write("contiguous", SHAPE, sequence.drawn(SHAPE, tmp_path), tmp_path / "plain.h5")
    asked = STORES["bitshuffle-lz4"].repacking(SHAPE.shape)
    done = programs.run(
        ["h5repack", *asked, tmp_path / "plain.h5", tmp_path / "out.h5"], env={"HDF5_PLUGIN_PATH": "/nowhere"}
    )
    assert done.returncode == 0
    assert work(tmp_path, "row", "bitshuffle-lz4", "out.h5").returncode == frame_program.UNAVAILABLE


def drawn(folder):
    sequence.draw(SHAPE, "natural", 1, folder)


def work(folder, task, store, target):
    words = {"memory": folder, "target": folder / target, "store": store, **SHAPE.__dict__}
    given = (str(word) for name, value in words.items() for word in (f"--{name}", value))
    return programs.run([*programs.PYTHON, "-m", frame_program.__name__, task, *given], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("store", "says"), [("loose", "frame-000001.raw holds"), ("chunks", "truncated file"), ("gzip", "truncated file")]
)
def test_a_truncated_file_is_told_in_one_line(tmp_path, store, says):
    drawn(tmp_path)
    frame_files.write(store, SHAPE, sequence.drawn(SHAPE, tmp_path), tmp_path / "stored")
    cut = tmp_path / "stored" / "frame-000001.raw" if store == "loose" else tmp_path / "stored"
    cut.write_bytes(cut.read_bytes()[:-2000])
    done = work(tmp_path, "row", store, "stored")
    assert done.returncode == 1 and says in done.stderr and done.stderr.count("\n") == 1 and not done.stdout


def test_what_cannot_be_planned_names_its_key(bed):
    for changes, amount, match in (
        ({"content": "snow"}, TINY, "content: there is no 'snow'"),
        ({"filter": "lzf"}, TINY, "filter: the family has no such"),
        ({"store": "loose", "writer": "h5repack"}, TINY, "writer: h5repack makes no loose"),
        ({"store": "exr", "format": "540p-8-bit"}, TINY, "store: exr has no samples of 8 bits"),
        ({}, TINY | {"scale": {"frames": 900}}, "families.frame_storage: 900 frames of 540p-12-bit needs"),
        ({}, TINY | {"scale": {"frames": 1}}, "families.frame_storage.scale.frames"),
    ):
        with pytest.raises(UserError, match=match):
            spec(bed, "ext4", amount, **changes)
