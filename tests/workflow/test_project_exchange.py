"""Projects exported to a real filesystem and over storage that takes its time, and what becomes of what cannot be."""

import pytest

from families_bed import held, measured, planned, values
from spindlemark.core.errors import UserError
from spindlemark.families import registry as families

AMOUNT = {"image_size": "64 MiB"}


def spec(bed, found="aaf", shape="one-track", storage="local", amount=AMOUNT):
    return planned(bed, "project_exchange", "ext4", amount, format=found, shape=shape, storage=storage)


def test_a_project_is_exported_and_read_again(bed):
    record = measured(bed, spec(bed))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("project_exchange").keys()
    assert found["timecodes_kept_ratio"] == found["understood_ratio"] == 1 and found["write_requests_count"] > 1000
    assert held(record, "cold_proof") == [True, True]
    assert record.experiment.fingerprint["tools"]["otio-aaf-adapter"]


def test_the_server_counts_what_the_client_asked(bed):
    record = measured(bed, spec(bed, "fcp7", "little-angels", "nbd-1-ms"))
    assert record.status == "ok" and held(record, "delivered") == [True, True]


def test_a_format_that_cannot_hold_the_project_has_failed_in_its_own_words(bed):
    record = measured(bed, spec(bed, "edl", "trailer"))
    assert record.status == "failed" and "Only a single video track is supported, got: 2" in record.reason


def test_what_cannot_be_planned_names_its_key(bed):
    for wrong, match in (
        ({"found": "doc"}, "format: there is no 'doc'"),
        ({"storage": "http-1-ms"}, "storage: there is no"),
        ({"amount": {"scale": {"edits": 1}}}, "families.project_exchange.scale.edits"),
        ({"amount": {"image_size": "1 MiB"}}, "its file needs"),
    ):
        with pytest.raises(UserError, match=match):
            spec(bed, **wrong)
