"""What generate() writes: the declared tree, content that cannot be shrunk, and never half a library."""

import hashlib
import os
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from spindlemark.core.errors import UserError
from spindlemark.families.shared import media
from spindlemark.families.shared.media import file_content, library_writer

KIB = 1024


def factors(**changes) -> dict:
    return {
        "name": "picture",
        "files": 300,
        "directories": 60,
        "smallest": 31,
        "largest": 400 * KIB,
        "total": 300 * 40 * KIB,
        "shape": "lognormal",
        "content": "incompressible",
        "seed": 1,
    } | changes


# Files longer than the block that they repeat, in fewer folders than there are: as HD video.
LONG = factors(
    name="video-hd",
    files=4,
    directories=9,
    smallest=1,
    largest=file_content.PERIOD + 9_000_000,
    total=2 * file_content.PERIOD,
    shape="beta",
)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes() if path.is_file() else b"folder")
    return digest.hexdigest()


@pytest.mark.parametrize(
    "library",
    [
        factors(),
        LONG,
        factors(content="zero"),
        factors(name="not-known", seed=7),
        factors(
            name="frames", files=6, directories=2, smallest=2 << 20, largest=2 << 20, total=12 << 20, shape="equal"
        ),
    ],
    ids=lambda library: f"{library['name']}-{library['content']}",
)
def test_the_tree_is_what_was_declared(library, tmp_path):
    media.generate(library, tmp_path / "library")
    found = files(tmp_path / "library")
    assert sorted(path.stat().st_size for path in found) == sorted(media.sizes(library))
    assert sum(1 for path in (tmp_path / "library").rglob("*")) == media.needed_inodes(library)
    assert os.listdir(tmp_path) == ["library"]


def test_same_seed_same_bytes_another_seed_another_order(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        media.generate(factors(seed=seed), tmp_path / name)
    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b") != fingerprint(tmp_path / "c")
    sizes = [[path.stat().st_size for path in files(tmp_path / name)] for name in "ac"]
    assert sizes[0] != sizes[1]
    assert sorted(sizes[0]) == sorted(sizes[1])


def test_folders_list_large_files_in_the_same_order_whatever_the_threads_do(tmp_path):
    library = factors(
        name="frames", files=12, directories=1, smallest=1 << 20, largest=1 << 20, total=12 << 20, shape="equal"
    )
    media.generate(library, tmp_path / "library")
    by_inode = sorted(files(tmp_path / "library"), key=lambda path: path.stat().st_ino)
    names = [path.name for path in by_inode]
    assert names == sorted(names)


@pytest.mark.parametrize("library", [factors(), LONG], ids=["small", "long"])
def test_content_cannot_be_shrunk_and_no_aligned_block_comes_twice(library, tmp_path):
    media.generate(library, tmp_path / "library")
    seen, plain, packed = set(), 0, 0
    for path in files(tmp_path / "library"):
        data = path.read_bytes()
        blocks = [data[at : at + 4 * KIB] for at in range(0, len(data) - 4 * KIB + 1, 4 * KIB)]
        digests = {hashlib.blake2b(block, digest_size=12).digest() for block in blocks}
        assert len(digests) == len(blocks) and not digests & seen
        seen |= digests
        sample = data[: 2 << 20]
        plain, packed = plain + len(sample), packed + len(zlib.compress(sample, 1))
    assert len(seen) > 1000
    assert packed / plain > 0.99


def test_blocks_of_the_filesystem_stay_different_over_terabytes():
    sizes = np.full(40_000, 37_000_001, dtype=np.int64)
    starts = file_content.starts(sizes)
    units = -(-int(sizes[0]) // file_content.UNIT)
    every = (starts[:, None] + np.arange(units) * file_content.UNIT) % file_content.PERIOD
    assert sizes.sum() > 1e12
    assert np.bincount(every.ravel()).max() == 1


def test_zeros_are_written_not_left_out(tmp_path):
    media.generate(factors(content="zero"), tmp_path / "library")
    largest = max(files(tmp_path / "library"), key=lambda path: path.stat().st_size)
    assert not any(largest.read_bytes())
    assert largest.stat().st_blocks * 512 >= largest.stat().st_size


def test_unknown_content_is_refused(tmp_path):
    with pytest.raises(UserError, match="content: 'noise' is unknown"):
        media.generate(factors(content="noise"), tmp_path / "library")
    assert not os.listdir(tmp_path)


def test_a_folder_in_use_is_left_alone(tmp_path):
    (tmp_path / "keep.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty"):
        media.generate(factors(), tmp_path)
    assert (tmp_path / "keep.txt").read_text() == "mine"


def test_no_room_is_told_before_anything_is_written(tmp_path):
    huge = factors(largest=1 << 50, total=1 << 50 | 1 << 40)
    with pytest.raises(UserError, match=r"needs \d+ bytes, \d+ are free\n.*source_directory.*config/testbeds") as error:
        media.generate(huge, tmp_path / "library")
    assert str(tmp_path) in error.value.problem
    assert not os.listdir(tmp_path)


def in_small_memory(folder: Path, options: str, script: str) -> subprocess.CompletedProcess:
    """Run a script with a tmpfs on `folder` that only that process sees and that ends with it."""
    mounted = f'mount -t tmpfs -o {options} none "$1" && exec "$2" -c "$3" "$1"'
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", mounted, "sh", folder, sys.executable, script],
        capture_output=True,
        text=True,
        timeout=60,
    )


ROOM_SCRIPT = """
import os, sys
from pathlib import Path
from spindlemark.families.shared import media
from spindlemark.core.errors import UserError
from spindlemark.families.shared.media import library_space
if {late}:  # as if another program took the room between the check and the writing
    library_space.require = lambda *arguments: None
try:
    media.generate({library!r}, Path(sys.argv[1]) / "library")
except UserError as error:
    print(error)
print("left", os.listdir(sys.argv[1]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small tmpfs, which needs root")
@pytest.mark.parametrize(
    ("options", "late", "said"),
    [
        ("size=8m", False, r"needs \d+ bytes, \d+ are free"),
        ("size=8m", True, r"needs \d+ bytes, \d+ are free"),
        ("size=64m,nr_inodes=50", False, "needs 360 inodes"),
    ],
)
def test_a_full_disk_leaves_nothing(tmp_path, options, late, said):
    result = in_small_memory(tmp_path, options, ROOM_SCRIPT.format(late=late, library=factors()))
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("left []\n")
    assert re.search(said, result.stdout)
    assert "config/testbeds" in result.stdout


def test_a_kill_in_the_middle_leaves_no_library(tmp_path):
    library = factors(files=20_000, directories=900, total=20_000 * 4 * KIB)
    target = tmp_path / "library"
    script = f"from spindlemark.families.shared import media\nmedia.generate({library!r}, {str(target)!r})"
    process = subprocess.Popen([sys.executable, "-c", script])
    growing = library_writer.partial(target)
    until = time.monotonic() + 30
    while not growing.is_dir() and time.monotonic() < until:
        assert process.poll() is None
    time.sleep(0.02)  # a tenth of what it takes, in memory
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert growing.is_dir() and not target.exists()
    media.generate(library, target)
    assert len(files(target)) == library["files"]
    assert os.listdir(tmp_path) == ["library"]
