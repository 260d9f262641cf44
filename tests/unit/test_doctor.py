"""The doctor: tells what is and what is not there, and always how to mend it."""

import os
import platform

import pytest

from spindlemark import declare, doctor, tools
from spindlemark.doctor import hardware, row, software


@pytest.fixture(scope="module")
def registry():
    return declare.load()


def test_every_row_that_says_no_has_a_remedy(registry):
    rows = doctor.rows(registry)
    assert len({r.what for r in rows}) == len(rows)
    assert all(r.detail for r in rows)
    assert [r for r in rows if not r.ok and not r.remedy] == []


def test_every_profile_and_filesystem_has_its_rows(registry):
    said = {r.what for r in doctor.rows(registry)}
    assert {f"kernel: {f.title}" for f in registry.filesystems.values()} <= said
    assert {f"disk space for profile {name}" for name in registry.profiles} <= said
    assert {f"memory for libraries of profile {name}" for name in registry.profiles} <= said


def test_without_tools_their_packages_are_named(registry, monkeypatch):
    monkeypatch.setattr(tools, "find", lambda name: None)
    rows = {r.what: r for r in doctor.rows(registry)}
    assert not rows["tool: mkfs.xfs"].ok and "xfsprogs" in rows["tool: mkfs.xfs"].remedy
    assert not rows["browser for the tests"].ok and "chromium" in rows["browser for the tests"].remedy
    assert rows["system tools"].detail.startswith("0 of")


def test_kernel_filesystem_built_in_loadable_or_absent(registry, tmp_path):
    listed, modules = tmp_path / "filesystems", tmp_path / "modules"
    folder = modules / platform.release()
    folder.mkdir(parents=True)
    listed.write_text("nodev\tproc\n\text4\n")
    (folder / "modules.dep").write_text("kernel/fs/btrfs/btrfs.ko.xz: kernel/lib/raid6/raid6_pq.ko.xz\n")
    state = {name: software.kernel_filesystem(registry.filesystems[name], listed, modules)
             for name in ("ext4", "btrfs", "xfs")}
    assert state["ext4"].ok and "running" in state["ext4"].detail
    assert state["btrfs"].ok and "module" in state["btrfs"].detail
    assert not state["xfs"].ok


def test_ordinary_users_are_told_to_use_sudo(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "sudo" in software.root().remedy


def test_image_that_does_not_fit_is_told(registry):
    large = registry.profiles["quick"].model_copy(update={"image_size": 1 << 60})
    rows = hardware.image_space(registry.model_copy(update={"profiles": {"huge": large}}))
    assert not rows[0].ok and "GiB needed" in rows[0].detail


def test_absent_devices(tmp_path):
    assert not hardware.loop_devices(tmp_path / "loop-control").ok
    assert not hardware.kvm(tmp_path / "kvm").ok


@pytest.mark.parametrize(("text", "ok"), [("performance", True), ("powersave", False)])
def test_governor(tmp_path, text, ok):
    folder = tmp_path / "cpu0" / "cpufreq"
    folder.mkdir(parents=True)
    (folder / "scaling_governor").write_text(f"{text}\n")
    assert hardware.governor(tmp_path).ok is ok


def test_a_tool_that_hangs_or_is_broken_has_no_version(tmp_path, monkeypatch):
    monkeypatch.setattr(row, "SECONDS", 0.2)
    assert row.first_line(["sleep", "5"]) == ""
    assert row.first_line([str(tmp_path / "nothing")]) == ""
