"""The doctor: tells what is and what is not there, and always how to mend it."""

import os

import pytest

from spindlemark import config
from spindlemark.cli.doctor import checks as doctor
from spindlemark.cli.doctor import hardware, row, software
from spindlemark.core.process import programs, tools


@pytest.fixture(scope="module")
def registry():
    return config.load()


def test_every_row_that_says_no_has_a_remedy(registry):
    rows = doctor.rows(registry)
    assert len({r.what for r in rows}) == len(rows)
    assert all(r.detail for r in rows)
    assert [r for r in rows if not r.ok and not r.remedy] == []


def test_every_profile_and_filesystem_has_its_rows(registry):
    said = {r.what for r in doctor.rows(registry)}
    assert {f"kernel: {f.title}" for f in registry.filesystems.values() if not f.pool} <= said
    assert "ZFS in virtual machine: vm" in said and "kernel: OpenZFS" not in said
    assert {f"disk space for profile {name}" for name in registry.profiles} <= said
    assert {f"memory for libraries of profile {name}" for name in registry.profiles} <= said


def test_without_tools_their_packages_are_named(registry, monkeypatch):
    monkeypatch.setattr(tools, "find", lambda name: None)
    monkeypatch.setattr(tools, "present", lambda name: False)  # libraries too
    rows = {r.what: r for r in doctor.rows(registry)}
    assert not rows["tool: mkfs.xfs"].ok and "xfsprogs" in rows["tool: mkfs.xfs"].remedy
    assert not rows["browser for the tests"].ok and "chromium" in rows["browser for the tests"].remedy
    assert rows["other system tools"].detail.startswith("0 of")


def test_a_filesystem_that_the_kernel_lacks(registry):
    present = software.kernel_filesystem(registry.filesystems["ext4"].model_copy(update={"module": "proc"}))
    absent = software.kernel_filesystem(registry.filesystems["ext4"].model_copy(update={"module": "nosuchfs"}))
    assert present.ok and not absent.ok
    assert "nosuchfs" in absent.detail and "nosuchfs" in absent.remedy


def test_ordinary_users_are_told_to_use_sudo(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "sudo" in software.root().remedy


def test_image_that_does_not_fit_is_told(registry):
    large = registry.profiles["quick"].model_copy(update={"image_size": 1 << 60})
    rows = hardware.image_space(registry.model_copy(update={"profiles": {"huge": large}}))
    assert not rows[0].ok and "GiB needed" in rows[0].detail


def test_images_in_memory_leave_a_quarter_of_it(registry, monkeypatch):
    rows = {row.what: row for row in hardware.memory_images(registry)}
    assert len(rows) == len(registry.profiles) and all("ram, sata-ssd" in what for what in rows)
    monkeypatch.setattr(hardware, "required_free", lambda folder: 2 << 30)
    for free, ok in ((9 << 30, True), (4 << 30, False)):
        monkeypatch.setattr(hardware, "capacity", lambda folder, free=free: (free, 16 << 30))
        rows = hardware.memory_images(registry)
        assert {row.what.split()[-1]: row.ok for row in rows} == dict.fromkeys(registry.profiles, ok)
        assert all("GiB needed" in row.detail for row in rows)


def test_a_sparse_device_needs_the_same_memory_with_each_profile(registry, monkeypatch):
    monkeypatch.setattr(hardware, "required_free", lambda folder: 2 << 30)
    for free, ok in ((8 << 30, True), (6 << 30, False)):
        monkeypatch.setattr(hardware, "capacity", lambda folder, free=free: (free, 8 << 30))
        rows = {row.what: row.ok for row in hardware.work_memory(registry)}
        assert rows == {"memory for full-size": ok, "memory for processor": True}


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
    assert row.first_line(["sh", "-c", "sleep 5"]) == ""
    monkeypatch.setattr(programs, "search_path", lambda: str(tmp_path))
    assert row.first_line(["mkfs.jfs", "-V"]) == ""
