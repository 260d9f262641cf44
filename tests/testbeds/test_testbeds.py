"""Testbeds as they are declared: which sets each measures, and identities that stay what they were."""

import json

import pytest

from released import records_of
from spindlemark import config
from spindlemark.core import paths
from spindlemark.core.record import canonical
from spindlemark.measure import experiments
from spindlemark.site import conditions, testbed_labels
from spindlemark.testbeds import loop

MEMORY = ("ram", "hdd", "sata-ssd", "nvme")


@pytest.fixture(scope="module")
def registry():
    return config.load()


def measured(registry, profile, testbed=None):
    return {(s.experiment.testbed, s.experiment.family) for s in experiments.specs(registry, profile, testbed)}


def test_loop_has_the_device_of_every_released_result(registry):
    """What lies below is another machine's; the rest is ours to keep."""
    releases = [path.parent.name for path in paths.RELEASES.glob("*/manifest.json")]
    specs = [path for version in releases for path in records_of(version).glob("loop/*/*/*/spec.json")]
    devices = [json.loads(path.read_text())["experiment"]["fingerprint"]["device"] for path in specs]
    assert len(devices) > 50
    for device in devices:
        facts = loop.device_facts(registry.testbeds["loop"], device["bytes"]) | {"backing": device["backing"]}
        assert canonical(facts) == canonical(device)


def test_a_device_held_at_bytes_alone_has_the_fingerprint_that_it_had(registry):
    facts = loop.device_facts(registry.testbeds["loop-slow"], 1 << 31) | {"backing": None}
    assert canonical(facts) == (
        '{"backing":null,"bytes":2147483648,"direct_io":true,"kind":"loop",'
        '"throttle":{"read":13750000,"write":13750000}}'
    )


def test_what_a_plain_run_measures_in_memory(registry):
    families = {bed: {f for b, f in measured(registry, "quick") if b == bed} for bed in MEMORY}
    assert families["ram"] == {
        "file_creation",
        "aaf_scale",
        "frame_storage",
        "hdf5_edit",
        "integrity",
        "raw_storage_cache",
        "project_exchange",
    }
    assert families["sata-ssd"] == {"concurrent_streams", "aging"}
    assert not families["hdd"] and not families["nvme"]
    assert {b for b, _ in measured(registry, "standard")} >= set(MEMORY)


def test_a_testbed_that_no_set_of_the_profile_names_measures_those_that_name_none(registry):
    """`hdd` is named by sets of other profiles only."""
    on_loop = {family for _, family in measured(registry, "quick", "loop")}
    assert measured(registry, "quick", "hdd") == {("hdd", family) for family in on_loop - {"fixity"}}
    named = ("filesystem_lifecycle", "concurrent_streams", "aging", "storage_profile")
    assert measured(registry, "standard", "hdd") == {("hdd", family) for family in named}


@pytest.mark.parametrize("profile", ["quick", "standard", "full"])
def test_memory_is_not_asked_for_the_size_of_a_disk(registry, profile):
    for name in MEMORY:
        part = registry.profiles[profile].on(name)
        families = {family for bed, family in measured(registry, profile) if bed == name}
        assert max((part.amount(family).image_size for family in families), default=0) <= 4 << 30, name


def test_pages_say_that_it_is_memory_and_what_it_is_held_at():
    told = {
        each["label"]: each
        for each in conditions.explained(
            {
                "device.kind": "ram",
                "device.backing.memory": True,
                "device.throttle.read": 560_000_000,
                "device.throttle.read_requests": 98000,
            }
        )
    }
    assert "memory" in told["Device"]["meaning"] and "no disk involved" in told["Device"]["meaning"]
    assert told["Stored in memory"]["value"] == "yes" and told["Read rate limited to"]["value"] == "560 MB/s"
    assert told["Read requests limited to"]["value"] == "98,000 per second"


def test_readers_see_disks_before_memory():
    class Bed:
        def __init__(self, testbed, kind):
            self.testbed, self.conditions = testbed, {"device.kind": kind}

    class Found:
        groups = (Bed("ram", "ram"), Bed("loop", "loop"), Bed("disk", "block"))

    assert testbed_labels.order(Found()) == ["disk", "loop", "ram"]
