"""Reading a library: random places, checksums, and what happens when a copy is not equal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from spindlemark.families.filesystem_lifecycle import random_reads
from spindlemark.families.shared import media

PROGRAM = Path(random_reads.__file__)


@pytest.fixture
def files(tmp_path):
    found = [tmp_path / f"{number}" for number in range(5)]
    for number, file in enumerate(found):
        file.write_bytes(bytes(1000 * (number + 1)))
    return [str(file) for file in found]


def test_each_file_is_opened_once_where_there_are_enough(files, monkeypatch):
    opened = []
    monkeypatch.setattr(random_reads, "read", lambda path, size, share, _: opened.append((path, size, share)) or 0.001)
    random_reads.main({"files": files, "count": 5, "bytes": 64, "anywhere": False, "seed": 1})
    assert sorted(path for path, _, _ in opened) == sorted(files)
    assert {(size, share) for _, size, share in opened} == {(64, 0.0)}


def test_no_file_is_opened_twice_where_there_are_few(files, monkeypatch):
    opened = []
    monkeypatch.setattr(random_reads, "read", lambda path, *_: opened.append(path) or 0.001)
    random_reads.main({"files": files, "count": 50, "bytes": 64, "anywhere": False, "seed": 1})
    assert sorted(opened) == sorted(files), "a second time would come from the page cache"


def test_few_files_are_read_at_many_places(files, monkeypatch):
    opened = []
    monkeypatch.setattr(random_reads, "read", lambda path, size, share, _: opened.append((path, share)) or 0.001)
    random_reads.main({"files": files[:2], "count": 50, "bytes": 64, "anywhere": True, "seed": 1})
    assert len(opened) == 50 and len({share for _, share in opened}) == 50
    assert all(0 <= share < 1 for _, share in opened)


def test_median_and_99th_percentile_of_the_reads(files, monkeypatch):
    given = iter(range(1, 201))
    monkeypatch.setattr(random_reads, "read", lambda *_: float(next(given)))
    assert random_reads.main({"files": files, "count": 200, "bytes": 1, "anywhere": True, "seed": 1}) == {
        "median": 100.5,
        "p99": 198.0,
    }


def test_a_slowed_read_takes_its_share_longer(files, monkeypatch):
    clock = iter([100.0, 102.0, 102.1, 102.2, 102.3])  # begun, read, two looks at the clock, end
    monkeypatch.setattr(random_reads.time, "perf_counter", lambda: next(clock))
    assert random_reads.read(files[0], 64, 0.0, slowdown=0.1) == pytest.approx(2.3)
    clock = iter([100.0, 102.0, 102.0])
    assert random_reads.read(files[0], 64, 0.0) == 2.0


def test_the_program_prints_seconds(files, tmp_path):
    task = tmp_path / "task.json"
    task.write_text(json.dumps({"files": files, "count": 3, "bytes": 10**6, "anywhere": True, "seed": 7}))
    done = subprocess.run([sys.executable, "-P", str(PROGRAM), str(task)], capture_output=True, text=True, check=True)
    assert 0 < json.loads(done.stdout)["median"] <= json.loads(done.stdout)["p99"]


def test_checksums_are_those_of_the_library_and_are_kept(tmp_path, needs_root):
    tmp_path.chmod(0o700)
    library = {
        "name": "picture",
        "files": 30,
        "directories": 4,
        "smallest": 10,
        "largest": 1000,
        "total": 9000,
        "shape": "lognormal",
        "content": "incompressible",
        "seed": 1,
    }
    found = media.checksums(library, tmp_path)
    assert [path for _, path in found] == sorted(media.paths(library)) and len({digest for digest, _ in found}) == 30
    folder = media.cached(library, tmp_path)
    sums = tmp_path / "sums"
    sums.write_text("".join(f"{digest}  {folder / path}\n" for digest, path in found))
    check = [media.CHECKSUM_TOOL, "--check", "--quiet", str(sums)]
    assert subprocess.run(check, check=False).returncode == 0
    victim = folder / found[3][1]
    victim.write_bytes(victim.read_bytes()[:-1] + b"\0")
    assert subprocess.run(check, capture_output=True, check=False).returncode == 1
    assert media.checksums(library, tmp_path) == found, "they are those of the library as it was made"
