"""Conditions in words: no name or value of the program's own is left as it is."""

import pytest

from spindlemark.site import conditions


@pytest.mark.parametrize(
    ("name", "value", "label", "shown"),
    [
        ("device.limits.read", 150_000_000, "Read rate limited to", "150 MB/s"),
        ("device.limits.read_requests", 100, "Read requests limited to", "100 per second"),
        ("filesystem.mkfs", '["mkfs.ext4", "-m", "0"]', "Format command", "mkfs.ext4 -m 0"),
        ("filesystem.mount", "[]", "Mount options", ""),
        ("filesystem.mount", "[not JSON", "Mount options", "'[not JSON'"),
        ("tools.e2fsprogs", "1.47.0", "Version of e2fsprogs", "1.47.0"),
        ("streams.block_bytes", 262_144, "Streams: block bytes", "262 kB"),
        ("memory", 1 << 30, "Memory of the commands, page cache included", "1.07 GB"),
        ("memory", 0, "Memory of the commands, page cache included", "not limited"),
        ("machine.emulated", True, "Emulated", "yes"),
    ],
)
def test_a_condition_is_readable(name, value, label, shown):
    (found,) = conditions.explained({name: value})
    assert (found["label"], found["value"]) == (label, shown)


def test_conditions_say_what_they_mean():
    told = {
        c["label"]: c
        for c in conditions.explained(
            {"machine.accelerator": "tcg", "device.bytes": 2 << 30, "machine.memory_bytes": 2 << 30, "other": 1}
        )
    }
    assert "times are not" in told["Accelerator"]["meaning"] and told["Device size"]["value"] == "2.15 GB"
    assert told["Memory"]["value"] == "2.15 GB" and told["Other"] == {"label": "Other", "value": "1", "meaning": ""}
