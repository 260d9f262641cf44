"""Recipes for readers: no option that forces, and what a reader keeps after a reboot. mkfs is the real one, on files."""

import shlex
import subprocess

import pytest

from spindlemark import config
from spindlemark.core.paths import CONFIG
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.site import recipes

FORCE = {"-f", "-F", "-K", "-ff", "--force"}


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("mkfs.ext4 -q -F -E nodiscard DEVICE", "mkfs.ext4 DEVICE"),
        (
            "mkfs.ext4 -q -F -E nodiscard -m 0 -E nodiscard,lazy_itable_init=1 DEVICE",
            "mkfs.ext4 -m 0 -E lazy_itable_init=1 DEVICE",
        ),
        ("mkfs.xfs -q -f -K -l size=128m DEVICE", "mkfs.xfs -l size=128m DEVICE"),
        ("mkfs.reiserfs -q -f -f DEVICE", "mkfs.reiserfs DEVICE"),
        ("mkfs.f2fs -q -f -t 0 DEVICE", "mkfs.f2fs DEVICE"),
        ("mkfs.exfat DEVICE", "mkfs.exfat DEVICE"),
    ],
)
def test_a_format_command_has_no_option_of_the_measurement(line, shown):
    warning, command = recipes.safe([line])
    assert warning.startswith("# Erases DEVICE") and command == shown


def test_no_declared_filesystem_is_formatted_by_force():
    for name, filesystem in config.read_yaml(CONFIG / "filesystems.yaml", dict[str, config.Filesystem]).items():
        for variant in filesystem.variants.values():
            words = shlex.join([*filesystem.mkfs, *variant.mkfs])
            found = recipes.safe([f"{words} DEVICE"])[-1]
            assert not FORCE & set(shlex.split(found)) and "nodiscard" not in found, (name, found)


def test_mount_options_and_queue_settings_survive_a_reboot():
    mount, fstab, queue, rule = recipes.safe(
        ["mount -t xfs -o noatime DEVICE MOUNT_POINT", "echo bfq > /sys/block/DISK/queue/scheduler"]
    )
    assert mount == "mount -t xfs -o noatime DEVICE MOUNT_POINT" and fstab.endswith("MOUNT_POINT xfs noatime 0 0")
    assert queue == "echo bfq > /sys/block/DISK/queue/scheduler"
    assert rule.endswith('ACTION=="add|change", KERNEL=="DISK", ATTR{queue/scheduler}="bfq"')


def test_other_lines_stay_as_they_are():
    assert recipes.safe(["server.port = 80", "pip install cyomtlib"]) == ["server.port = 80", "pip install cyomtlib"]


@pytest.mark.parametrize("name", ["xfs", "btrfs"])
def test_what_is_shown_formats_an_empty_device_and_refuses_one_in_use(name, tmp_path):
    device = tmp_path / "device"
    with device.open("wb") as file:
        file.truncate(400 << 20)
    settings = {
        "filesystem.name": name,
        "filesystem.mkfs": str(
            config.read_yaml(CONFIG / "filesystems.yaml", dict[str, config.Filesystem])[name].mkfs
        ).replace("'", '"'),
    }
    line = next(each for each in recipes.safe(FILESYSTEM.recipe(settings)) if each.startswith("mkfs."))
    command = shlex.split(line.replace("DEVICE", str(device)))
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0, "it would erase a filesystem"
