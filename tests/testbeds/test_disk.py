"""What disks say of themselves, as the kernel lays it out for each kind, and what lies below what."""

import os

import pytest

from spindlemark.testbeds import blank_check, disk, kernel


@pytest.fixture
def sysfs(tmp_path, monkeypatch):
    """Write attributes of disks into folders shaped as those of the kernel and of udev."""
    monkeypatch.setattr(disk, "_BLOCK", tmp_path / "block")
    monkeypatch.setattr(disk, "_UDEV", tmp_path / "udev")

    def write(name, **attributes):
        for key, value in attributes.items():
            path = tmp_path / "block" / name / key.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(value if isinstance(value, bytes) else f"{value}\n".encode())

    write.udev = tmp_path / "udev"
    write.block = tmp_path / "block"
    return write


PAGE = b"\x00\x80\x00\x14" + b"     WD-WCC4N1234567" + b"garbage"


@pytest.mark.parametrize(
    ("attributes", "serial", "model"),
    [
        ({"device__serial": "S4EVNX0M  ", "device__model": "NVMe 970  "}, "S4EVNX0M", "NVMe 970"),
        ({"device__vpd_pg80": PAGE, "device__model": "WDC WD40EFRX-68W"}, "WD-WCC4N1234567", "WDC WD40EFRX-68W"),
        ({"serial": "spindlemark-1"}, "spindlemark-1", None),
        ({"device__serial": "0x12345678", "device__name": "SD64G"}, "0x12345678", "SD64G"),
        ({"serial": "", "device__model": ""}, None, None),
        ({}, None, None),
    ],
    ids=["nvme", "ata", "virtio", "memory card", "virtio without one", "loop"],
)
def test_each_kind_of_disk_says_its_name_in_its_place(sysfs, attributes, serial, model):
    sysfs("sdx", dev="8:0", **attributes)
    assert (disk.serial("sdx"), disk.model("sdx")) == (serial, model)


def test_udev_answers_only_where_the_kernel_does_not_know(sysfs):
    sysfs.udev.mkdir()
    noted = "S:disk/by-id/usb-x", "E:ID_SERIAL=long_name", "E:ID_SERIAL_SHORT=4C53", "E:ID_MODEL=Stick"
    (sysfs.udev / "b8:0").write_text("\n".join(noted))
    sysfs("sda", dev="8:0")
    assert (disk.serial("sda"), disk.model("sda")) == ("4C53", "Stick")
    sysfs("sda", device__model="Ultra", device__serial="K1")
    assert (disk.serial("sda"), disk.model("sda")) == ("K1", "Ultra")


def test_all_that_a_logical_volume_lies_on(sysfs):
    """A volume on an encrypted RAID of two partitions and a whole disk."""
    for name in ("sda", "sdb"):
        (sysfs.block / "devices" / name / f"{name}1").mkdir(parents=True)
        (sysfs.block / "devices" / name / f"{name}1" / "partition").write_text("1\n")
        (sysfs.block / f"{name}1").symlink_to(sysfs.block / "devices" / name / f"{name}1")
    for above, below in (("dm-1", ["dm-0"]), ("dm-0", ["md0"]), ("md0", ["sda1", "sdb1", "sdc"])):
        for name in below:
            (sysfs.block / above / "slaves" / name).mkdir(parents=True)
    assert disk.carriers("dm-1") == {"dm-1", "dm-0", "md0", "sda1", "sdb1", "sda", "sdb", "sdc"}
    assert disk.carriers("sda") == {"sda"}


def test_all_members_of_a_mounted_btrfs_are_below_it(sysfs, tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "_BTRFS", tmp_path / "btrfs")
    monkeypatch.setattr(kernel, "block_name", {os.makedev(8, 1): "sda1"}.get)
    for name in ("sda1", "sdb"):
        (tmp_path / "btrfs" / "uuid" / "devices" / name).mkdir(parents=True)
    mount = kernel.Mount("8:1", tmp_path, "btrfs", "none", "")
    assert disk.carriers_of_mount(mount) == {"sda1", "sdb"}
    assert disk.carriers_of_mount(kernel.Mount("0:25", tmp_path, "tmpfs", "tmpfs", "")) == set()


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ({"wwid": "eui.0025385b71b0a1c2"}, "eui.0025385b71b0a1c2"),
        ({"device__wwid": "naa.5000c500a1b2c3d4"}, "naa.5000c500a1b2c3d4"),
        ({"wwid": "nvme.8086-313233-4d6f64656c-00000001"}, None),
        ({"device__wwid": "t10.ATA     MODEL    SERIAL"}, None),
        ({}, None),
    ],
    ids=["nvme", "sas", "nvme without one", "ata without one", "virtio"],
)
def test_only_a_name_that_is_unique_in_the_world_is_a_world_wide_name(sysfs, attributes, name):
    sysfs("sdx", dev="8:0", **attributes)
    assert disk.world_wide_name("sdx") == name


@pytest.mark.parametrize("size", [0, 512, 4096, 3 << 20, (16 << 20) + 512, 240057409536, 22 * 10**12])
def test_a_disk_of_any_size_is_looked_at_quickly_and_without_a_long_gap(size):
    chosen = blank_check.chosen(size)
    assert chosen == sorted(chosen) == blank_check.chosen(size) and len(chosen) < 600
    assert sum(count for _, count in chosen) < 160 << 20
    end = 0
    for offset, count in [*chosen, (size, 0)]:
        assert offset - end <= max(size // blank_check.EVENLY, blank_check.AREA) and offset + count <= size
        end = max(end, offset + count)
    if size:
        assert chosen[0][0] == 0 and end == size
