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


def test_virtual_machine_on_a_virtio_disk():
    backing = {"filesystem": "ext4", "model": None, "bytes": 252 << 30, "rotational": False}
    said = environment_text.sentence([record({"virtualisation": "kvm", "backing.disk": "vda"}, {"backing": backing})])
    assert said == (
        "a 2 GiB loop file (direct I/O) on ext4 on a 252 GiB virtio disk, "
        "a 2-core virtual machine (KVM) with Test CPU, Linux 6.18.0-test"
    )


def test_real_machine_with_a_named_disk():
    backing = {"filesystem": "xfs", "model": "ACME X100", "bytes": 4_000_787_030_016, "rotational": True}
    said = environment_text.sentence(
        [
            record(
                {"virtualisation": "none", "backing.disk": "sda"}, {"backing": backing}, {"cpu": "Big CPU", "cpus": 64}
            )
        ]
    )
    assert "on xfs on a 3.6 TiB disk (ACME X100), a 64-core machine with Big CPU" in said


def test_what_is_not_known_is_not_claimed():
    said = environment_text.sentence([record()])
    assert "virtual" not in said and "disk of unknown model" in said


def test_two_machines_are_both_told_whatever_the_order():
    records = [record({"virtualisation": "kvm"}), record(machine={"cpus": 8})]
    assert environment_text.sentence(records) == environment_text.sentence(records[::-1])
    assert environment_text.sentence(records).count("loop file") == 2


def test_sizes_and_kernels_of_one_machine_are_told_together():
    small = record(device={"bytes": 320 << 20})
    newer = factory.experiment(fingerprint=small.experiment.fingerprint | {"kernel": "6.99"})
    said = environment_text.sentence([record(), small, small.model_copy(update={"experiment": newer})])
    assert said.startswith("loop files of 320 MiB and 2 GiB (direct I/O) on ")
    assert said.endswith(", Linux 6.18.0-test and 6.99") and ";" not in said


def test_files_in_memory_are_several():
    found = [record(device={"kind": "ram", "bytes": count << 20}) for count in (64, 128)]
    assert environment_text.sentence(found).startswith("files in memory of 64 MiB and 128 MiB, a 2-core ")


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (2 << 30, "2 GiB"), (1536, "1.5 KiB"), (3 << 50, "3072 TiB")]
)
def test_sizes(count, text):
    assert environment_text.size(count) == text


def test_summary_counts_failures_noise_and_commits():
    e = factory.experiment()
    records = [factory.record(e, 1), factory.record(e, 2, status="failed")]
    records[0] = records[0].model_copy(update={"environment": {"project.commit": "abc", "project.changed": True}})
    measured = summarise(records, "quick")
    assert measured.statuses == {"failed": 1, "ok": 1} and measured.commits == ["abc+"]
    assert "2 repetitions of 1 experiment" in measured.statement and "1 of which succeeded" in measured.statement
    assert summarise(records[::-1], "quick") == measured


def test_memory_is_no_disk():
    plain = {"kind": "ram", "backing": {"memory": True}}
    assert environment_text.sentence([record(device=plain)]).startswith("a 2 GiB file in memory, a 2-core ")
    held = environment_text.sentence([record(device=plain | {"throttle": {"read": 1}})])
    assert held.startswith("a 2 GiB file in memory with declared speed limits, ")


def test_a_network_has_no_size_and_its_disk_has():
    plain = environment_text.sentence([record(device={"kind": "link", "bytes": 0, "storage": None})])
    assert plain.startswith("a virtual network link between two network namespaces, a 2-core machine")
    storage = {"kind": "ram", "bytes": 1 << 30, "backing": {"memory": True}}
    with_disk = environment_text.sentence([record(device={"kind": "link", "bytes": 1 << 30, "storage": storage})])
    assert with_disk.startswith(
        "a 1 GiB file in memory served over a virtual network link between two network namespaces, "
    )
