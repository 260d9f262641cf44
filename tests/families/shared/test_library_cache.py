"""Kept libraries: used again when whole, made again when not, and only ours ever deleted."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.core.paths import ROOT, folder_name
from spindlemark.families.shared.media import cached, clear, library_cache

KIB = 1024


def factors(**changes) -> dict:
    return {
        "name": "sound",
        "files": 40,
        "directories": 8,
        "smallest": 10 * KIB,
        "largest": 200 * KIB,
        "total": 40 * 100 * KIB,
        "shape": "beta",
        "content": "incompressible",
        "seed": 1,
    } | changes


def stamp(folder: Path) -> list[tuple[str, int, int]]:
    return sorted((str(p), p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.rglob("*"))


def whole(folder: Path) -> bool:
    files = [p for p in folder.rglob("*") if p.is_file()]
    return (len(files), sum(p.stat().st_size for p in files)) == (40, 40 * 100 * KIB)


def test_a_whole_library_is_used_again(tmp_path):
    folder = cached(factors(), tmp_path, keep_bytes=0)
    before = stamp(folder)
    assert cached(factors(), tmp_path, keep_bytes=0) == folder
    assert stamp(folder) == before
    assert cached(factors(seed=2), tmp_path, keep_bytes=0) != folder


@pytest.mark.parametrize("damage", ["file deleted", "file cut", "file added", "gone"])
def test_a_damaged_library_is_made_again(tmp_path, damage):
    folder = cached(factors(), tmp_path, keep_bytes=0)
    one = next(p for p in folder.rglob("*") if p.is_file())
    if damage == "file deleted":
        one.unlink()
    elif damage == "file cut":
        os.truncate(one, 1)
    elif damage == "file added":
        (folder / "more").touch()
    else:
        folder.rename(folder.with_name("moved"))
    assert cached(factors(), tmp_path, keep_bytes=0) == folder
    assert whole(folder) and [entry.name for entry in folder.parent.iterdir()] == [folder.name]


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.06])
def test_a_kill_leaves_only_what_the_next_call_handles(tmp_path, delay):
    library = factors(files=4000, directories=300, total=4000 * 20 * KIB)
    base = tmp_path / folder_name(ROOT)
    script = (
        f"from pathlib import Path\nfrom spindlemark.families.shared.media import cached\n"
        f"cached({library!r}, Path({str(tmp_path)!r}), 0)"
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    until = time.monotonic() + 30
    while not base.exists() and time.monotonic() < until:
        assert process.poll() is None
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    folder = cached(factors(), tmp_path, keep_bytes=0)
    assert whole(folder) and [entry.name for entry in base.iterdir()] == [folder.name]
    clear(tmp_path)
    assert not base.exists()


def test_clear_deletes_ours_and_follows_no_link(tmp_path):
    base = cached(factors(), tmp_path, keep_bytes=0).parent
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "film.mkv").touch()
    (base / "link").symlink_to(tmp_path / "other")
    (base / ".library.spindlemark-partial").mkdir()
    clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["other"] and (tmp_path / "other" / "film.mkv").exists()
    clear(tmp_path)
    clear(tmp_path / "absent")


def test_what_others_planted_is_refused_and_left_alone(tmp_path):
    """A folder of somebody else's, one that others can look into, a link, a file: neither used nor emptied."""
    base = tmp_path / folder_name(ROOT)
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "elsewhere" / "film.mkv").touch()

    def theirs():
        base.mkdir(mode=0o700)
        (base / "film.mkv").touch()
        (base / ".spindlemark-source").touch()
        os.chown(base, 65534, 65534)

    plants = {
        "link": lambda: base.symlink_to(tmp_path / "elsewhere"),
        "file": base.touch,
        "fifo": lambda: os.mkfifo(base),
        "open": lambda: base.mkdir(mode=0o755),
    }
    if os.geteuid() == 0:
        plants["theirs"] = theirs
    for name, plant in plants.items():
        plant()
        before = stamp(tmp_path)
        for use in (
            lambda: cached(factors(), tmp_path, keep_bytes=0),
            lambda: clear(tmp_path),
            lambda: library_cache.scratch(tmp_path).__enter__(),
        ):
            with pytest.raises(UserError, match="belongs to another user|is not a folder of this program"):
                use()
        assert stamp(tmp_path) == before, name
        base.rename(tmp_path / f"moved-{name}")


def test_a_link_swapped_in_while_it_is_cleared_leads_nowhere(tmp_path, monkeypatch):
    """Another process puts a link to its victim where our folder was, right after it was looked at."""
    base = cached(factors(), tmp_path, keep_bytes=0).parent
    victim = tmp_path / "victim"
    shutil.copytree(base, victim)
    before = stamp(victim)
    empty = private_files.empty

    def swapped(descriptor):
        base.rename(tmp_path / "moved")
        base.symlink_to(victim)
        empty(descriptor)

    monkeypatch.setattr(private_files, "empty", swapped)
    with pytest.raises(OSError, match="Not a directory"):
        clear(tmp_path)
    assert stamp(victim) == before and list((tmp_path / "moved").iterdir()) == []


def test_the_folder_around_it_must_be_firm(tmp_path):
    """Who can rename what is in it can exchange it between the check and the use."""
    (tmp_path / "loose").mkdir()
    (tmp_path / "loose").chmod(0o777)
    with pytest.raises(UserError, match="another user can move away its content"):
        cached(factors(), tmp_path / "loose", keep_bytes=0)
    (tmp_path / "loose").chmod(0o1777)
    assert cached(factors(), tmp_path / "loose", keep_bytes=0).is_dir()
    if os.geteuid() == 0:
        os.chown(tmp_path / "loose", 65534, 65534)
        with pytest.raises(UserError, match="another user can move away its content"):
            clear(tmp_path / "loose")
    with pytest.raises(UserError, match="source_directory in config/testbeds"):
        cached(factors(), tmp_path / "absent", keep_bytes=0)


def test_two_projects_have_a_folder_each(tmp_path):
    roots = [tmp_path / name for name in ("one", "two")]
    for root in roots:
        root.mkdir()
    assert folder_name(roots[0]) != folder_name(roots[1])


def test_the_scratch_folder_is_empty_and_goes(tmp_path):
    with library_cache.scratch(tmp_path) as folder:
        (folder / "log").touch()
    assert not folder.exists()
    folder.mkdir()
    (folder / "left").touch()
    with library_cache.scratch(tmp_path) as again:
        assert again == folder and list(again.iterdir()) == []


def test_too_much_to_keep_free_is_an_error_that_says_so(tmp_path):
    with pytest.raises(UserError, match=r"needs \d+ bytes, \d+ are free and \d+ must stay free"):
        cached(factors(), tmp_path, keep_bytes=1 << 60)


def test_one_library_stays_in_memory(tmp_path):
    first, second = (cached(factors(seed=seed), tmp_path, keep_bytes=0) for seed in (1, 2))
    assert [entry.name for entry in first.parent.iterdir()] == [second.name]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small filesystem, which needs root")
@pytest.mark.parametrize(("kind", "size", "code"), [("tmpfs", "7m", 0), ("tmpfs", "5m", 1), ("ext4", "24m", 0)])
def test_a_quarter_stays_free_of_memory_only(tmp_path, kind, size, code):
    """The library takes 4 MB and a bit: of 7 MB that leaves more than a quarter free, of 5 MB less, and of the disk
    next to nothing."""
    script = (
        f"from pathlib import Path\nfrom spindlemark.families.shared.media import cached\nimport sys\n"
        f"cached({factors()!r}, Path(sys.argv[1]))"
    )
    prepare = {
        "tmpfs": 'mount -t tmpfs -o size="$SIZE" none "$1"',
        "ext4": 'truncate -s "$SIZE" "$1.img"; mkfs.ext4 -q -b 4096 -m 0 "$1.img"; mount -o loop "$1.img" "$1"; '
        'fallocate -l $((($(stat -f -c %a "$1") - 1300) * $(stat -f -c %S "$1"))) "$1/full"',
    }[kind]
    folder = tmp_path / "sources"
    folder.mkdir()
    result = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", f'{prepare}; exec "$2" -c "$3" "$1"', "sh", folder, sys.executable, script],
        env=os.environ | {"SIZE": size},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == code, result.stderr
    assert ("must stay free" in result.stderr) == (code == 1)
