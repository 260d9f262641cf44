"""A limit on memory holds for what is started within it, and nothing of it stays."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from spindlemark.core import paths, private_files, space
from spindlemark.core.outcome import Unsupported
from spindlemark.testbeds import memory_group

MIB = 1 << 20
# Writes a file and prints the bytes of it that are in the page cache then.
WRITE = """
import os, sys
from pathlib import Path
from spindlemark.testbeds.page_cache import resident
file = Path(sys.argv[1])
with file.open("wb") as opened:
    for _ in range(int(sys.argv[2])):
        opened.write(bytes(1 << 20))
    opened.flush()
    os.fsync(opened.fileno())
print(resident(file))
"""


# The same within a limit, in a process of its own: one that runs tests is larger than the limit.
LIMITED = """
import subprocess, sys
from spindlemark.testbeds import memory_group
with memory_group.limited(int(sys.argv[1])) as version:
    assert version in (1, 2)
    subprocess.run([sys.executable, "-P", "-c", sys.argv[2], *sys.argv[3:]], check=True)
"""


def cached_after_writing(file: Path, mebibytes: int) -> int:
    argv = [sys.executable, "-P", "-c", WRITE, str(file), str(mebibytes)]
    return int(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)


@pytest.fixture
def limits(needs_root, tmp_path):
    try:
        with memory_group.limited(512 * MIB):
            pass
    except Unsupported as outcome:
        pytest.skip(outcome.reason)


@pytest.fixture
def on_disk():
    """A folder on a disk: the kernel cannot write out files in memory, and kills who writes more of them than the limit."""
    paths.BUILD.mkdir(parents=True, exist_ok=True)
    if space.in_memory(paths.BUILD):
        pytest.skip("the project is in memory")
    with tempfile.TemporaryDirectory(dir=paths.BUILD) as folder:
        yield Path(folder)


def test_commands_keep_no_more_in_the_page_cache_than_the_limit(limits, on_disk):
    argv = [sys.executable, "-P", "-c", LIMITED, str(384 * MIB), WRITE, str(on_disk / "within"), "512"]
    assert int(subprocess.run(argv, capture_output=True, text=True, check=True).stdout) < 384 * MIB
    assert cached_after_writing(on_disk / "without", 512) > 384 * MIB


def test_afterwards_the_process_is_where_it_was_and_the_group_is_gone(limits):
    before = Path("/proc/self/cgroup").read_text()
    with pytest.raises(ZeroDivisionError), memory_group.limited(512 * MIB):
        assert Path("/proc/self/cgroup").read_text() != before
        raise ZeroDivisionError
    assert Path("/proc/self/cgroup").read_text() == before
    assert not list(Path("/sys/fs/cgroup").glob(f"**/spindlemark-memory-{os.getpid()}"))
    assert not (private_files.RUN / f"memory-group-{os.getpid()}.json").exists()


def test_the_group_of_a_killed_program_is_removed_by_the_next_one(limits):
    script = (
        "import os, signal\nfrom spindlemark.testbeds import memory_group\n"
        "with memory_group.limited(1 << 29):\n    print(os.getpid(), flush=True)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=False)
    number = int(killed.stdout)
    note = private_files.RUN / f"memory-group-{number}.json"
    (group,) = json.loads(note.read_text())["content"]
    assert Path(group).is_dir()
    memory_group.remove_leftovers()
    assert not Path(group).exists() and not note.exists()
