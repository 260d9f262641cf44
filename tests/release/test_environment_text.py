"""The sentence of what was measured on what, from fingerprints and environments."""

import pytest

import factory
from spindlemark.release import environment_text
from spindlemark.release.versions import summarise


def record(environment=None, device=None, machine=None, **how):
    e = factory.experiment()
    fingerprint = e.fingerprint | {
        "device": e.fingerprint["device"] | (device or {}),
        "machine": e.fingerprint["machine"] | (machine or {}),
    }
    made = factory.record(factory.experiment(fingerprint=fingerprint), **how)
    return made.model_copy(update={"environment": made.environment | (environment or {})})


def test_virtual_machine_on_a_virtio_disk(snapshot):
    backing = {"filesystem": "ext4", "model": None, "bytes": 252 << 30, "rotational": False}
    said = environment_text.sentence([record({"virtualisation": "kvm", "backing.disk": "vda"}, {"backing": backing})])
    snapshot(said)


def test_real_machine_with_a_named_disk(snapshot):
    backing = {"filesystem": "xfs", "model": "ACME X100", "bytes": 4_000_787_030_016, "rotational": True}
    said = environment_text.sentence(
        [
            record(
                {"virtualisation": "none", "backing.disk": "sda"}, {"backing": backing}, {"cpu": "Big CPU", "cpus": 64}
            )
        ]
    )
    snapshot(said)


def test_what_is_not_known_is_not_claimed(snapshot):
    said = environment_text.sentence([record()])
    assert "virtual" not in said
    snapshot(said)


def test_two_machines_are_both_told_whatever_the_order():
    records = [record({"virtualisation": "kvm"}), record(machine={"cpus": 8})]
    assert environment_text.sentence(records) == environment_text.sentence(records[::-1])
    assert environment_text.sentence(records).count("loop file") == 2


def test_sizes_and_kernels_of_one_machine_are_told_together(snapshot):
    small = record(device={"bytes": 320 << 20})
    newer = factory.experiment(fingerprint=small.experiment.fingerprint | {"kernel": "6.99"})
    said = environment_text.sentence([record(), small, small.model_copy(update={"experiment": newer})])
    snapshot(said)


def test_files_in_memory_are_several(snapshot):
    found = [record(device={"kind": "ram", "bytes": count << 20}) for count in (64, 128)]
    snapshot(environment_text.sentence(found))


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (2 << 30, "2 GiB"), (1536, "1.5 KiB"), (3 << 50, "3072 TiB")]
)
def test_sizes(count, text):
    assert environment_text.size(count) == text


def test_summary_counts_failures_noise_and_commits(snapshot):
    e = factory.experiment()
    records = [factory.record(e, 1), factory.record(e, 2, status="failed")]
    records[0] = records[0].model_copy(update={"environment": {"project.commit": "abc", "project.changed": True}})
    measured = summarise(records, {"quick": []})
    assert measured.statuses == {"failed": 1, "ok": 1} and measured.commits == ["abc+"]
    snapshot(measured.statement)
    assert summarise(records[::-1], {"quick": []}) == measured


def test_summary_names_each_profile():
    records = [factory.record(factory.experiment(), 1)]
    several = {"quick": ["filesystem_lifecycle"], "standard": ["file_creation"]}
    measured = summarise(records, several)
    assert (measured.profile, measured.profiles) == ("quick", several)
    assert "1 experiment of the profiles quick and standard, " in measured.statement
    one = summarise(records, {"quick": ["filesystem_lifecycle"]})
    assert one.profiles == {} and "of the profile quick, " in one.statement


def test_memory_is_no_disk(snapshot):
    plain = {"kind": "ram", "backing": {"memory": True}}
    held = plain | {"throttle": {"read": 1}}
    snapshot([environment_text.sentence([record(device=device)]) for device in (plain, held)])


def test_a_network_has_no_size_and_its_disk_has(snapshot):
    plain = environment_text.sentence([record(device={"kind": "link", "bytes": 0, "storage": None})])
    storage = {"kind": "ram", "bytes": 1 << 30, "backing": {"memory": True}}
    with_disk = environment_text.sentence([record(device={"kind": "link", "bytes": 1 << 30, "storage": storage})])
    snapshot([plain, with_disk])
