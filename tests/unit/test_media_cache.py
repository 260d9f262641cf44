"""Kept libraries: used again when whole, made again when not, and only ours ever deleted."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spindlemark.errors import UserError
from spindlemark.media import cache, cached, clear

KIB = 1024


def factors(**changes) -> dict:
    return {"name": "sound", "files": 40, "directories": 8, "smallest": 10 * KIB, "largest": 200 * KIB,
            "total": 40 * 100 * KIB, "shape": "beta", "content": "incompressible", "seed": 1} | changes


def stamp(folder: Path) -> list[tuple[str, int, int]]:
    return sorted((str(p), p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.rglob("*"))


def test_a_whole_library_is_used_again(tmp_path):
    folder = cached(factors(), tmp_path, keep_bytes=0)
    before = stamp(folder)
    assert cached(factors(), tmp_path, keep_bytes=0) == folder
    assert stamp(folder) == before
    assert cached(factors(seed=2), tmp_path, keep_bytes=0) != folder


@pytest.mark.parametrize("damage", ["file deleted", "file cut", "file added", "unfinished", "wrong factors"])
def test_a_damaged_library_is_made_again(tmp_path, damage):
    folder = cached(factors(), tmp_path, keep_bytes=0)
    entry, one = folder.parent, next(p for p in folder.rglob("*") if p.is_file())
    if damage == "file deleted":
        one.unlink()
    elif damage == "file cut":
        os.truncate(one, 1)
    elif damage == "file added":
        (folder / "more").touch()
    elif damage == "unfinished":
        (entry / cache.COMPLETE).unlink()
        one.unlink()
    else:
        (entry / cache.COMPLETE).write_text(json.dumps(factors(total=1)))
    assert cached(factors(), tmp_path, keep_bytes=0) == folder
    assert cache._tally(folder) == (40, 8, 40 * 100 * KIB)
    assert not (folder / "more").exists()


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.06])
def test_a_kill_leaves_only_what_the_next_call_handles(tmp_path, delay):
    library = factors(files=4000, directories=300, total=4000 * 20 * KIB)
    base = tmp_path / cache.FOLDER
    script = (f"from pathlib import Path\nfrom spindlemark.media import cached\n"
              f"cached({library!r}, Path({str(tmp_path)!r}), 0)")
    process = subprocess.Popen([sys.executable, "-c", script])
    until = time.monotonic() + 30
    while not base.exists() and time.monotonic() < until:
        assert process.poll() is None
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    folder = cached(factors(), tmp_path, keep_bytes=0)
    assert cache._tally(folder) == (40, 8, 40 * 100 * KIB)
    assert [entry for entry in base.iterdir() if not (entry / cache.COMPLETE).exists()] == []
    clear(tmp_path)
    assert not base.exists()


def test_clear_deletes_ours_only(tmp_path):
    cached(factors(), tmp_path, keep_bytes=0)
    base = tmp_path / cache.FOLDER
    foreign, empty, cut_short = base / "foreign", base / "empty", base / "cut-short"
    foreign.mkdir()
    (foreign / "film.mkv").touch()
    empty.mkdir()
    (cut_short / ".library.spindlemark-partial").mkdir(parents=True)
    (cut_short / cache.MARKER).touch()
    (base / "link").symlink_to(tmp_path)
    (tmp_path / "other").touch()
    clear(tmp_path)
    assert sorted(path.name for path in base.iterdir()) == ["foreign", "link"]
    assert (foreign / "film.mkv").exists() and (tmp_path / "other").exists()
    clear(tmp_path / "absent")


def test_a_folder_that_is_not_ours_is_never_replaced(tmp_path):
    entry = cached(factors(), tmp_path, keep_bytes=0).parent
    (entry / cache.MARKER).unlink()
    (entry / cache.COMPLETE).unlink()
    with pytest.raises(UserError, match="was not made by this program"):
        cached(factors(), tmp_path, keep_bytes=0)


def test_the_base_must_be_our_own_folder(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / cache.FOLDER).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="belongs to somebody else"):
        cached(factors(), tmp_path, keep_bytes=0)
    with pytest.raises(UserError, match="source_directory in config/testbeds"):
        cached(factors(), tmp_path / "absent", keep_bytes=0)


def test_too_much_to_keep_free_is_an_error_that_says_so(tmp_path):
    with pytest.raises(UserError, match=r"needs \d+ bytes, \d+ are free and \d+ must stay free"):
        cached(factors(), tmp_path, keep_bytes=1 << 60)


def test_one_library_stays_in_memory(tmp_path):
    first, second = (cached(factors(seed=seed), tmp_path, keep_bytes=0).parent for seed in (1, 2))
    assert [entry.name for entry in first.parent.iterdir()] == [second.name]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small tmpfs, which needs root")
def test_a_quarter_of_the_memory_stays_free(tmp_path):
    script = f"from pathlib import Path\nfrom spindlemark.media import cached\nimport sys\ncached({factors()!r}, Path(sys.argv[1]))"
    mounted = 'mount -t tmpfs -o size="$4" none "$1" && exec "$2" -c "$3" "$1"'
    # The library takes 4 MB and a bit: of 7 MB that leaves more than a quarter free, of 5 MB less.
    for size, code in (("7m", 0), ("5m", 1)):
        result = subprocess.run(["unshare", "--mount", "sh", "-c", mounted, "sh", tmp_path, sys.executable, script, size],
                                capture_output=True, text=True, timeout=60)
        assert result.returncode == code, result.stderr
    assert "must stay free" in result.stderr
