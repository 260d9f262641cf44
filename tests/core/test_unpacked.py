"""Packages that are unpacked and never installed: from a real archive, small and on this disk, by the real apt and dpkg."""

import hashlib
import os
import subprocess

import pytest

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.process import programs, unpacked
from spindlemark.testbeds import fingerprint

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(programs.find, ("apt-get", "dpkg-deb"))), reason="needs root, apt and dpkg"
)
SERVER = "#!/bin/sh\necho $0 $1 $LD_LIBRARY_PATH\n"


def build(root, name, files, **fields):
    """A package below root/pool, and its entry in the index."""
    tree, deb = root / "trees" / name, root / "pool" / f"{name}.deb"
    control = {
        "Package": name,
        "Version": "1.5-2",
        "Architecture": "all",
        "Maintainer": "x",
        "Description": "x",
    } | fields
    control_text = "".join(f"{key}: {value}\n" for key, value in control.items())
    for path, text in (files | {"DEBIAN/control": control_text}).items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
        (tree / path).chmod(0o755)
    deb.parent.mkdir(exist_ok=True)
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, deb], check=True, capture_output=True)
    return (
        f"{control_text}Filename: pool/{name}.deb\nSize: {deb.stat().st_size}\n"
        f"SHA256: {hashlib.sha256(deb.read_bytes()).hexdigest()}\n\n"
    )


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """An archive with a server, the library that it needs, and a script that installing would run."""
    root = tmp_path / "archive"
    index = build(
        root,
        "tiny-serving",
        {"usr/sbin/tiny-server": SERVER, "DEBIAN/postinst": f"#!/bin/sh\ntouch {tmp_path}/started\n"},
        Depends="tiny-library",
    )
    index += build(root, "tiny-library", {"usr/lib/here/libtiny.so.1": "x"})
    (root / "Packages").write_text(index)
    (tmp_path / "list").write_text(f"deb [trusted=yes] file:{root} ./\n")
    monkeypatch.setattr(
        unpacked,
        "_SETTINGS",
        {"Dir::Etc::SourceList": str(tmp_path / "list"), "Dir::Etc::SourceParts": str(tmp_path / "none")},
    )
    monkeypatch.setattr(programs, "UNPACKED", tmp_path / "packages")
    (tmp_path / "apt.yaml").write_text(
        "unpacked:\n  tiny-server: tiny-serving\n  lost: no-such-package\n"
        "measure:\n  sh: dash\n  env: coreutils\n  setpriv: util-linux\n"
        "  apt-get: apt\n  dpkg: dpkg\n"
    )
    monkeypatch.setattr(programs, "LIST", tmp_path / "apt.yaml")
    programs._declared.cache_clear()
    yield root
    programs._declared.cache_clear()


def test_a_server_is_unpacked_with_what_it_needs_and_never_installed(archive, tmp_path):
    assert [tool.package for tool in unpacked.missing(["tiny-server"])] == ["tiny-serving"]
    assert unpacked.fetch(["tiny-server"]) == [] == unpacked.missing(["tiny-server"])
    place = programs.UNPACKED / "tiny-serving"
    assert programs.find("tiny-server") == str(place / "usr/sbin/tiny-server")
    assert (place / "usr/lib/here/libtiny.so.1").exists() and unpacked.versions() == {"tiny-serving": "1.5-2"}
    assert not (tmp_path / "started").exists()
    assert subprocess.run(["dpkg", "--status", "tiny-serving"], capture_output=True).returncode != 0
    assert not list(programs.UNPACKED.glob("**/*.deb")) and not list(programs.UNPACKED.glob(".*.partial"))


def test_it_runs_with_its_own_libraries_as_a_user_without_rights_and_others_run_without_them(archive):
    unpacked.fetch(["tiny-server"])
    libraries = programs.UNPACKED / "tiny-serving/usr/lib/here"
    for path in (programs.UNPACKED, *programs.UNPACKED.parents[:-2]):
        path.chmod(0o755)  # pytest's own folders are closed to others
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", "tiny-server", "hello"]
    said = programs.run(words, capture_output=True, text=True)
    assert said.stdout.split() == [programs.find("tiny-server"), "hello", str(libraries)], said.stderr
    assert programs.run(["sh", "-c", "echo $LD_LIBRARY_PATH"], capture_output=True, text=True).stdout == "\n"


def test_a_version_is_looked_for_again_once_its_server_was_fetched(archive):
    """A run plans before it fetches, for the disks that it would erase, and after it: with these identities it measures."""

    def version():
        return fingerprint.of("loop", bed, 1 << 30, {"tiny": ("tiny-server", "1.5")}, [])["tools"]["tiny"]

    bed = config.load().testbeds["loop"]
    assert version() is None
    unpacked.fetch(["tiny-server"])
    fingerprint.forget_versions()
    assert version() == "1.5"


def test_a_tool_that_had_no_answer_is_asked_again_once_something_was_built(tmp_path):
    """As java, which is there before the program that it runs."""

    def version():
        return fingerprint.of("loop", bed, 1 << 30, {"tiny": ("sh", str(script))}, [])["tools"]["tiny"]

    bed, script = config.load().testbeds["loop"], tmp_path / "version"
    assert version() is None
    script.write_text("echo 1.5")
    fingerprint.forget_versions()
    assert version() == "1.5"


def test_what_was_fetched_is_kept_and_nothing_is_asked_again(archive, capsys):
    unpacked.fetch(["tiny-server"])
    (archive / "Packages").unlink()
    capsys.readouterr()
    assert unpacked.fetch(["tiny-server"]) == [] and capsys.readouterr().out == ""


def test_what_cannot_be_had_is_told_and_the_others_are_fetched(archive):
    [reason] = unpacked.fetch(["lost", "tiny-server"])
    assert "no-such-package cannot be fetched" in reason and programs.find("tiny-server")


def test_a_damaged_package_is_not_used(archive):
    with (archive / "pool/tiny-serving.deb").open("r+b") as file:
        file.seek(-20, os.SEEK_END)
        file.write(b"evil")
    [reason] = unpacked.fetch(["tiny-server"])
    assert "cannot be fetched" in reason and programs.find("tiny-server") is None


def test_without_apt_it_says_so(archive, monkeypatch):
    monkeypatch.setattr(unpacked, "find", lambda name: None)
    [reason] = unpacked.fetch(["tiny-server"])
    assert "no apt-get" in reason


def test_a_folder_that_others_can_write_to_is_refused(archive):
    programs.UNPACKED.mkdir(mode=0o777)
    programs.UNPACKED.chmod(0o777)
    with pytest.raises(UserError, match="others can write to it"):
        unpacked.fetch(["tiny-server"])
