"""The recorder: the same seed records and deletes the same, side by side, within its budget."""

import os
import subprocess
import sys

import pytest

from spindlemark.families.shared.streams import recorder_program

KIB = 1024
GIVEN = {
    "tuners": 3,
    "block": 4 * KIB,
    "flush": 16 * KIB,
    "smallest": 20 * KIB,
    "largest": 90 * KIB,
    "budget": 600 * KIB,
    "target": 500 * KIB,
    "seed": 5,
}


def words(folder, *more, **changes):
    return [str(folder), *(w for k, v in (GIVEN | changes).items() for w in (f"--{k}", str(v))), *more]


def call(folder, *more, **changes):
    folder.mkdir(exist_ok=True)
    argv = [sys.executable, recorder_program.__file__, *words(folder, *more, **changes)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=20)


def sizes(folder):
    return {file.name: file.stat().st_size for file in folder.iterdir()}


def test_records_what_was_asked_and_says_how_much(tmp_path):
    done = call(tmp_path / "a")
    found = sizes(tmp_path / "a")
    assert done.returncode == 0 and int(done.stdout) == sum(found.values())
    assert GIVEN["target"] <= sum(found.values()) < GIVEN["target"] + GIVEN["largest"]
    assert set(found) == {str(n) for n in range(len(found))}
    assert all(size % GIVEN["block"] == 0 and size <= GIVEN["largest"] for size in found.values())


def test_years_of_recording_stay_within_the_budget(tmp_path):
    call(tmp_path / "a")
    done = call(tmp_path / "a", target=6000 * KIB)
    found = sizes(tmp_path / "a")
    assert int(done.stdout) >= 6000 * KIB
    assert GIVEN["budget"] / 2 < sum(found.values()) <= GIVEN["budget"]
    numbers = sorted(map(int, found))
    assert numbers[-1] > 60 and numbers != list(range(numbers[0], numbers[-1] + 1)), "some older ones live longer"


def test_the_seed_alone_decides(tmp_path):
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        call(tmp_path / name, target=3000 * KIB, seed=seed)
    assert sizes(tmp_path / "a") == sizes(tmp_path / "b") != sizes(tmp_path / "c")


def test_recordings_are_written_side_by_side_and_flushed(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(sys, "argv", ["recorder", *words(tmp_path)])
    write, sync = os.write, os.fdatasync
    monkeypatch.setattr(os, "write", lambda file, data: (calls.append(file), write(file, data))[1])
    monkeypatch.setattr(os, "fdatasync", lambda file: (calls.append(-file), sync(file))[1])
    assert recorder_program.main() == 0
    first = [c for c in calls[:15] if c > 0]
    assert first[:6] == first[:3] * 2 and len(set(first[:3])) == 3
    assert calls[12:15] == [-file for file in first[:3]] or {-file for file in first[:3]} <= set(calls[:16])


def test_preallocated_space_is_reserved_before_it_is_written(tmp_path, monkeypatch):
    reserved = []
    monkeypatch.setattr(sys, "argv", ["recorder", *words(tmp_path, "--preallocate")])
    monkeypatch.setattr(os, "posix_fallocate", lambda file, start, size: reserved.append((start, size)))
    assert recorder_program.main() == 0
    assert sorted(size for _, size in reserved) == sorted(sizes(tmp_path).values())


def test_what_the_filesystem_refuses_is_said(tmp_path, monkeypatch, capsys):
    def full(file, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "argv", ["recorder", *words(tmp_path)])
    monkeypatch.setattr(os, "write", full)
    assert recorder_program.main() == 1
    assert "No space left on device" in capsys.readouterr().err


def test_an_argument_is_missing(tmp_path):
    with pytest.raises(SystemExit):
        recorder_program.main()
