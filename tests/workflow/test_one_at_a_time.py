"""One measurement at a time on a machine: two projects with testbeds of their own; what may be in the lock's way."""

import itertools
import shutil
from pathlib import Path

import pytest

from bed import Bed
from spindlemark.core import private_files
from spindlemark.core.paths import folder_name
from spindlemark.core.record import read_record

REPETITIONS = 4
# A folder for root's files that only this command sees, with something in it first: $0 prepares, "$@" runs.
APART = ("unshare", "--mount", "--", "sh", "-ec", 'mount -t tmpfs -o mode=755 none "$RUN"; eval "$0"; exec "$@"')
OBSTACLES = {
    "a FIFO": 'mkfifo "$RUN/machine.lock"',
    "a link": 'ln -s /dev/null "$RUN/machine.lock"',
    "a folder": 'mkdir "$RUN/machine.lock"',
    "a device": 'mknod "$RUN/machine.lock" c 1 3',
    "somebody else's file": 'touch "$RUN/machine.lock"; chown 65534 "$RUN/machine.lock"',
    "somebody else's folder": 'chown 65534 "$RUN"',
    "everybody's folder": 'chmod 1777 "$RUN"',
    "a link to a folder": 'umount "$RUN"; mount -t tmpfs none /run; mkdir /run/other; ln -s other "$RUN"',
}


@pytest.fixture
def beds(tmp_path, needs_root):
    """Two projects, each with a testbed of another name, whose libraries lie in one folder."""
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made.append(Bed(tmp_path / name))
    for bed in made:
        declared = bed.root / "config" / "testbeds" / f"{bed.testbed}.yaml"
        declared.write_text(declared.read_text().replace(str(bed.memory), "/dev/shm"))
    yield made
    for bed in made:
        bed.remove()


def test_two_clones_on_two_testbeds_never_overlap(beds):
    specs = [bed.spec("xfs", library) for bed, library in zip(beds, ("picture", "sound"), strict=True)]
    jobs = [
        (bed, n, bed.measure(spec, n)) for n in range(1, REPETITIONS + 1) for bed, spec in zip(beds, specs, strict=True)
    ]
    said = ""
    for _, _, process in jobs:
        out, _ = process.communicate(timeout=600)
        assert process.returncode == 0, out
        said += out
    records = [read_record(spec.parent / f"rep-{n}.json") for spec in specs for n in range(1, REPETITIONS + 1)]
    assert [(r.status, r.reason) for r in records] == [("ok", None)] * len(records)
    records.sort(key=lambda record: record.started_at)
    for before, after in itertools.pairwise(records):
        assert before.finished_at <= after.started_at
    assert "waiting: this machine is in use by process" in said
    assert any(f"(testbed {bed.testbed})" in said for bed in beds)
    for bed, spec in zip(beds, specs, strict=True):
        for n in range(1, REPETITIONS + 1):
            copy = next(c for c in read_record(spec.parent / f"rep-{n}.json").commands if c.argv[0] == "cp")
            assert copy.argv[2].startswith(f"/dev/shm/{folder_name(bed.root)}/")
        assert bed.leftovers() == []


def test_a_clean_one_does_not_take_the_library_of_the_other(beds):
    one, two = beds
    for bed in beds:
        bed.call(bed.spec("ext4"))
    one.clean()
    assert not (Path("/dev/shm") / folder_name(one.root)).exists()
    left = {path.stem for path in (Path("/dev/shm") / folder_name(two.root)).iterdir()}
    assert len(left) == 1  # the library and its checksums


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_lies_in_the_place_of_the_lock_is_told_at_once(tmp_path, needs_root, obstacle, monkeypatch):
    private_files.folder(private_files.RUN)
    monkeypatch.setenv("RUN", str(private_files.RUN))
    bed = Bed(tmp_path)
    try:
        process = bed.start("--clean", prefix=(*APART, OBSTACLES[obstacle]))
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 2 and str(private_files.RUN) in out and "Traceback" not in out, out
        assert "not a file of this program" in out or "belongs to another user" in out or "not a folder" in out
    finally:
        shutil.rmtree(bed.memory)
