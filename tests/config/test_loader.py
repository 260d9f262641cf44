"""Declarations: the committed ones load; wrong ones are refused with file, key and remedy."""

import pytest
import yaml

from editing import edit
from spindlemark import config as declare
from spindlemark.core.errors import UserError


def test_committed_declarations_load_and_name_each_other():
    registry = declare.load()
    assert registry.config.profile in registry.profiles
    assert registry.config.testbed in registry.testbeds
    for profile in registry.profiles.values():
        assert profile.libraries.keys() <= registry.libraries.keys()


def test_quick_profile_has_at_least_three_repetitions():
    assert declare.load().profiles["quick"].repetitions >= 3


@pytest.mark.parametrize("family", ["hdf5_edit", "aaf_scale", "raw_storage_cache", "project_exchange", "frame_storage"])
def test_who_counts_the_bytes_of_small_files_has_no_zeros_among_them(family):
    named = {name for one in declare.load().experiments[family].sets for name in one.factors["filesystem"]}
    assert "ext4+noinit" in named and "ext4" not in named


def test_library_means_agree_with_the_printed_averages_of_the_source():
    libraries = declare.load().libraries
    printed = {"picture": 0.46, "sound": 6.10, "video": 52.77, "video-hd": 17526.61}
    for name, mib in printed.items():
        assert libraries[name].mean / 2**20 == pytest.approx(mib, abs=0.006)


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("config.yaml", "profile:", "profil:", ["config.yaml", "profil", "did you mean profile"]),
        ("profiles/quick.yaml", "repetitions: 3", "repetitions: none", ["quick.yaml", "repetitions", "'none'"]),
        ("profiles/quick.yaml", "repetitions: 3", "repetitions: 0", ["quick.yaml", "repetitions"]),
        ("profiles/quick.yaml", "image_size: ", "image_sise: ", ["quick.yaml", "image_sise", "image_size"]),
        ("libraries.yaml", "shape: lognormal", "shape: gauss", ["libraries.yaml", "picture.shape"]),
        ("libraries.yaml", "smallest: 31", "smallest: 999 GiB", ["libraries.yaml", "picture"]),
        ("testbeds/loop.yaml", "kind: loop", "kind: disk", ["loop.yaml", "kind"]),
        ("filesystems.yaml", "  module: ext4", "  modul: ext4", ["filesystems.yaml", "ext4"]),
        ("config.yaml", "seed:", "seed: [", ["config.yaml", "not YAML"]),
    ],
)
def test_bad_declaration_names_file_and_key(config, file, old, new, named):
    edit(config / file, old, new)
    with pytest.raises(UserError) as raised:
        declare.load(config)
    for words in named:
        assert words in str(raised.value)


def test_missing_file_is_named(config):
    (config / "libraries.yaml").unlink()
    with pytest.raises(UserError, match="libraries.yaml: no such file"):
        declare.load(config)


def test_binary_nonsense_is_refused(config):
    (config / "config.yaml").write_bytes(b"\xff\xfe\x00nonsense")
    with pytest.raises(UserError, match="config.yaml"):
        declare.load(config)


def test_choose_suggests_the_nearest_name():
    with pytest.raises(UserError, match="did you mean quick"):
        declare.choose(declare.load().profiles, "quik", "profile", "here")


BLOCK = {
    "description": "A disk",
    "kind": "block",
    "device": "/dev/disk/by-id/x",
    "serial": "S",
    "model": None,
    "size": "1 TB",
    "erase": "S",
    "scheduler": "none",
    "source_directory": "/dev/shm",
    "busy_bound": 0.1,
}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"serial": ...}, ["serial: is missing"]),
        ({"model": ...}, ["model: is missing"]),
        ({"erase": ...}, ["erase: is missing"]),
        ({"serial": ""}, ["serial: ", "it is now ''"]),
        ({"serail": "S"}, ["unknown key serail", "did you mean serial?"]),
        ({"size": "1 MiB"}, ["size: "]),
        ({"directory": "x"}, ["unknown key directory"]),
        ({"throttle": {"read": 1, "write": 1}}, ["unknown key throttle"]),
        ({"kind": "loop", "throttle": {"read": 1}}, ["unknown key"]),
        ({"kind": "disk"}, ["kind"]),
    ],
)
def test_a_bad_declaration_of_a_disk_names_the_key(config, changes, named):
    content = {key: value for key, value in (BLOCK | changes).items() if value is not ...}
    (config / "testbeds" / "bad.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(UserError) as raised:
        declare.load(config)
    for words in ["bad.yaml", *named]:
        assert words in str(raised.value)


def test_the_example_of_a_disk_can_be_copied(config):
    (config / "testbeds" / "disk.yaml.example").rename(config / "testbeds" / "disk.yaml")
    disk = declare.load(config).testbeds["disk"]
    assert isinstance(disk, declare.BlockTestbed) and disk.erase == ""
