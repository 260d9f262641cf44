"""Damaged AAF files: every reader here reads or refuses each of them, in words, and touches nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

import readers
from fuzzing import SEED, TIMES
from spindlemark.families.aaf_scale.implementations import IMPLEMENTATIONS

DAMAGED = 200 * TIMES
NATIVE = [name for name in ("libgsf", "cfb") if IMPLEMENTATIONS[name].here()]
LONGEST_SECONDS = 60


@pytest.fixture(scope="module")
def damaged(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("damaged")
    readers.put(folder, SEED, DAMAGED)
    return folder


def told(folder, argv):
    """How each file ended: name -> 0, 1 or whatever else it was."""
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    done = subprocess.run(
        list(map(str, argv)), capture_output=True, text=True, cwd=folder, check=False, timeout=LONGEST_SECONDS * TIMES
    )
    lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines() if ".aaf " in line]
    assert done.returncode == 0 and len(lines) == DAMAGED, f"seed {SEED}, after {lines[-1:]}: {done.stderr[-2000:]}"
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    return dict(lines)


def require_words(found):
    assert {name: code for name, code in found.items() if code not in ("0", "1")} == {}, f"seed {SEED}"
    assert set(found.values()) == {"0", "1"}, "some were read, and some were not"


@pytest.mark.parametrize("name", readers.READERS)
def test_a_reader_in_python_reads_or_refuses_each_file(damaged, name):
    require_words(told(damaged, [sys.executable, readers.__file__, name, damaged]))


@pytest.mark.skipif(not IMPLEMENTATIONS["poi"].here(), reason="Apache POI is not built here")
def test_apache_poi_reads_or_refuses_each_file(damaged):
    java, *_, path, _ = IMPLEMENTATIONS["poi"].command
    require_words(told(damaged, [java, "-cp", path, Path(__file__).with_name("Readers.java"), damaged]))


@pytest.mark.parametrize("name", NATIVE)
def test_a_native_reader_reads_or_refuses_each_file(damaged, name):
    """It may crash like no other reader, so that each file has a process that begins anew."""
    found = {}
    for path in damaged.iterdir():
        done = subprocess.run(
            [*IMPLEMENTATIONS[name].command, "read", path],
            capture_output=True,
            timeout=LONGEST_SECONDS,
            cwd=damaged,
            check=False,
        )
        found[path.name] = str(done.returncode) if (done.stderr if done.returncode else done.stdout) else "silent"
    assert len(found) == len(list(damaged.iterdir())) == DAMAGED
    require_words(found)
