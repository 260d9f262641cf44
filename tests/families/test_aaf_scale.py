"""Compound files: trees and how they differ, programs that are built, and files that are damaged."""

import hashlib
import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process import programs
from spindlemark.families.aaf_scale import build, pinned_files, trees
from spindlemark.families.aaf_scale.implementations import IMPLEMENTATIONS
from spindlemark.families.aaf_scale.trees import Entry

ENTRIES = [
    Entry("a", None),
    Entry("a/b", b"\n\x00content"),
    Entry("empty", b""),
    Entry("large", bytes(range(256)) * 40),
]
LIMIT_SECONDS = 20
READERS = [name for name, each in IMPLEMENTATIONS.items() if each.here()]


def call(name: str, *words: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*IMPLEMENTATIONS[name].command, *map(str, words)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LIMIT_SECONDS,
        check=False,
    )


def put(path: Path, entries: list[Entry]) -> Path:
    with path.open("wb") as file:
        for entry in entries:
            trees.write(file, entry)
    return path


def test_a_tree_is_what_was_written_and_differences_count(tmp_path):
    whole = trees.read(put(tmp_path / "tree", ENTRIES))
    assert whole.storages == {"a"} and whole.streams["a/b"][0] == 9 and whole.bytes == 9 + 10240
    changed = trees.read(put(tmp_path / "changed", [*ENTRIES[:3], Entry("large", b"other")]))
    foreign = trees.read(put(tmp_path / "foreign", [*ENTRIES, Entry("more", b"")]))
    assert [trees.kept(whole, other) for other in (whole, changed, foreign)] == [1.0, 0.75, 0.0]


@pytest.mark.parametrize("damage", [b"D\n", b"X 3 a\nabc", b"S 9 a\nabc", b"S x a\n", b"\xff\xfe\n", b"S -1 a\n"])
def test_a_damaged_tree_is_told(damage):
    with pytest.raises(UserError, match="tree"):
        list(trees.entries(io.BytesIO(damage), "tree"))


@pytest.mark.parametrize("sector", [512, 4096])
@pytest.mark.parametrize("name", [name for name in READERS if IMPLEMENTATIONS[name].writes])
def test_what_a_library_writes_it_reads(tmp_path, name, sector):
    tree = put(tmp_path / "tree", ENTRIES)
    done = call(name, "write", tree, tmp_path / "file", sector)
    if sector not in IMPLEMENTATIONS[name].writes:
        assert done.returncode == 1 and "512" in done.stderr
        return
    said = json.loads(done.stdout)
    assert (said["streams"], said["bytes"]) == (3, 10249) and said["seconds"] > 0 and said["peak_bytes"] > 1 << 20, (
        done.stderr
    )
    assert json.loads(call(name, "read", tmp_path / "file", tmp_path / "back").stdout)["bytes"] == 10249
    assert trees.kept(trees.read(tree), trees.read(tmp_path / "back")) == 1


def test_a_missing_compiler_is_told_and_nothing_is_built(monkeypatch, tmp_path):
    monkeypatch.setattr(build, "BUILT", tmp_path / "built")
    monkeypatch.setattr(programs, "SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build.make(["libgsf", "pyaaf2"]) == [
        "libgsf cannot be driven here: gcc (package gcc), pkg-config (package pkg-config) is not installed"
    ]
    assert not (tmp_path / "built").exists()


def test_a_program_is_built_anew_only_when_its_sources_changed(monkeypatch, tmp_path, needs_root):
    monkeypatch.setattr(build, "BUILT", tmp_path / "built")
    if build.make(["libgsf"]):
        pytest.skip("libgsf cannot be built here")
    made = (tmp_path / "built" / "libgsf" / "compound").stat().st_mtime_ns
    assert build.make(["libgsf"]) == [] and (tmp_path / "built" / "libgsf" / "compound").stat().st_mtime_ns == made
    shutil.copytree(build.SOURCES, tmp_path / "sources")
    (tmp_path / "sources" / "libgsf" / "compound.c").write_text("no C at all\n")
    monkeypatch.setattr(build, "SOURCES", tmp_path / "sources")
    (told,) = build.make(["libgsf"])
    assert told.startswith("libgsf cannot be driven here: gcc: ") and "error" in told
    assert (tmp_path / "built" / "libgsf" / "compound").stat().st_mtime_ns == made, "the last good one stays"


@pytest.mark.parametrize("name", ["libgsf", "cfb", "poi"])
def test_nothing_of_the_folders_that_it_is_called_in_or_built_from_is_obeyed(monkeypatch, tmp_path, needs_root, name):
    """Root builds: what others put into the clone, above it or into the caller's folder starts no program."""
    witness, program = tmp_path / "witness", tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {witness}\nexit 1\n")
    program.chmod(0o755)
    shutil.copytree(build.SOURCES, tmp_path / "clone" / "sources")
    sources = tmp_path / "clone" / "sources"
    for folder in (tmp_path, tmp_path / "clone", sources, sources / name, tmp_path / "caller"):
        (folder / ".cargo").mkdir(parents=True)
        (folder / ".cargo" / "config.toml").write_text(f'[build]\nrustc-wrapper = "{program}"\n')
        (folder / ".mvn").mkdir()
        (folder / ".mvn" / "jvm.config").write_text(f"-XX:OnError={program} -XX:+CrashOnOutOfMemoryError\n")
        (folder / "rust-toolchain.toml").write_text(f'[toolchain]\npath = "{tmp_path}"\n')
    monkeypatch.setenv("RUSTC_WRAPPER", str(program))
    monkeypatch.setattr(build, "SOURCES", tmp_path / "clone" / "sources")
    built = private_files.STATE / "test-built"
    shutil.rmtree(built, ignore_errors=True)
    monkeypatch.setattr(build, "BUILT", built)
    monkeypatch.chdir(tmp_path / "caller")
    try:
        told = build.make([name])
        assert not witness.exists() and not any("program" in each or "toolchain" in each for each in told), told
        if not told:
            assert (built / name / "key.txt").exists() and (built / name).stat().st_mode & 0o777 == 0o755
            assert not (built / name / "source").exists()
    finally:
        shutil.rmtree(built, ignore_errors=True)


@pytest.fixture
def mirror(monkeypatch, tmp_path):
    """A repository on this disk, with one jar, and the list that pins it."""
    (tmp_path / "mirror/org/own").mkdir(parents=True)
    (tmp_path / "mirror/org/own/own-1.jar").write_bytes(b"jar")
    (tmp_path / "jars.sha256").write_text(f"{hashlib.sha256(b'jar').hexdigest()}  org/own/own-1.jar\n")
    (tmp_path / "jars").mkdir()
    monkeypatch.setenv(pinned_files.MIRROR, (tmp_path / "mirror").as_uri() + "/")
    return tmp_path


def test_an_archive_is_fetched_from_the_mirror_that_the_user_names(mirror):
    pinned_files.fetch(mirror / "jars.sha256", mirror / "jars")
    assert {path.name: path.read_bytes() for path in (mirror / "jars").iterdir()} == {"own-1.jar": b"jar"}


@pytest.mark.parametrize(
    ("content", "told"), [(b"other", "differs from the file whose SHA-256"), (None, "could not be fetched")]
)
def test_an_archive_that_differs_or_is_missing_is_refused(mirror, content, told):
    jar = mirror / "mirror/org/own/own-1.jar"
    jar.unlink()
    if content:
        jar.write_bytes(content)
    with pytest.raises(pinned_files.FetchError, match=f"/org/own/own-1.jar {told}"):
        pinned_files.fetch(mirror / "jars.sha256", mirror / "jars")
    assert not list((mirror / "jars").iterdir())


def test_an_archive_that_does_not_end_is_refused(mirror, monkeypatch):
    monkeypatch.setenv(pinned_files.MIRROR, "file:///dev")
    (mirror / "endless").write_text(f"{'0' * 64}  zero\n")
    with pytest.raises(pinned_files.FetchError, match="could not be fetched: it has more than .* bytes"):
        pinned_files.fetch(mirror / "endless", mirror / "jars")


def test_an_archive_that_cannot_be_fetched_is_told_with_its_address_and_remedy(monkeypatch, tmp_path):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv(pinned_files.MIRROR, "http://127.0.0.1:9")
    with pytest.raises(Unsupported, match=f"http://127.0.0.1:9/com/zaxxer/.*refused.*set {pinned_files.MIRROR}"):
        build._poi(build.SOURCES / "poi", tmp_path, IMPLEMENTATIONS["poi"])
    assert list(tmp_path.iterdir()) == []
