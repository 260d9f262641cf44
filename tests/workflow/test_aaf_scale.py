"""AAF files and their containers written and read on a real filesystem."""

import pytest

from families_bed import held, measured, planned, values
from spindlemark.core.errors import UserError
from spindlemark.families import registry as families
from spindlemark.families.aaf_scale import build
from spindlemark.families.aaf_scale.implementations import IMPLEMENTATIONS
from spindlemark.testbeds import fingerprint

AMOUNT = {"image_size": "64 MiB", "scale": {"essence": "8 KiB"}}
FACTORS = {"level": "container", "sources": "2-sources", "sector": "512", "essence": "plain"}


@pytest.fixture(scope="module", autouse=True)
def built():
    """Built before any plan, as `run` does it: identities have the versions of all programs, and these are read once."""
    build.make(IMPLEMENTATIONS)
    fingerprint.forget_versions()


def spec(bed, implementation, amount=AMOUNT, **changes):
    return planned(bed, "aaf_scale", "ext4", amount, implementation=implementation, **(FACTORS | changes))


def test_a_whole_file_is_written_read_and_understood(bed):
    record = measured(bed, spec(bed, "pyaaf2", level="aaf", sector="4096", essence="embedded"))
    assert (record.status, record.reason) == ("ok", None)
    assert record.experiment.factors["sources"] == {"name": "2-sources", "count": 2, "mobs": 10}
    found = values(record)
    assert found.keys() == families.metrics("aaf_scale").keys()
    assert found["file_bytes"] > 6 * 8192 and found["overhead_ratio"] > 1 and found["understood_ratio"] > 0
    assert found["write_seconds"] > found["write_sync_seconds"] and found["read_peak_bytes"] > 1 << 20
    assert held(record, "cold_proof") == [True, True] and held(record, "completeness") == held(record, "content") == [
        True
    ]
    assert record.attachments["understanding"]["olefile"] == {"kept": 1.0, "says": "read"}
    (sync,) = (c for c in record.commands if c.step == "sync")
    assert found["write_sync_seconds"] == sync.seconds, "only the sync: listing the tree comes after it"


def test_a_program_that_takes_longer_than_the_limit_is_a_failed_subject(bed):
    amount = AMOUNT | {"scale": {"essence": "8 KiB", "limit_seconds": 0.01}}
    record = measured(bed, spec(bed, "pyaaf2", amount, level="aaf"))
    assert record.status == "failed" and "killed after 0.01 s, its limit" in record.reason, record.reason


def test_a_reader_that_is_too_slow_gives_no_answer(bed):
    """It did not reject the file: with no answer at all the repetition is not valid, and has not failed."""
    amount = AMOUNT | {"scale": {"essence": "8 KiB", "reader_seconds": 0.001}}
    record = measured(bed, spec(bed, "pyaaf2", amount, level="aaf"))
    assert (record.status, held(record, "content")) == ("invalid", [False]), record.reason
    assert record.attachments["understanding"]["olefile"] == {"kept": None, "says": "stopped after 0.001 s"}


def test_the_tree_of_a_container_is_kept_for_the_next_library(bed):
    made = [
        sum(
            "spindlemark.families.shared.aaf" in c.argv
            for c in measured(bed, spec(bed, "pyaaf2", sector=sector)).commands
        )
        for sector in ("512", "4096")
    ]
    assert made == [1, 0]


@pytest.mark.parametrize("library", ["cfb", "poi"])
def test_a_library_writes_the_tree_and_others_give_it_back(bed, library):
    if not IMPLEMENTATIONS[library].here():
        pytest.skip(f"{library} could not be built here")
    record = measured(bed, spec(bed, library))
    assert (record.status, record.reason) == ("ok", None)
    assert values(record).keys() == families.metrics("aaf_scale").keys()
    assert (
        record.experiment.fingerprint["tools"][library] and record.attachments["understanding"]["olefile"]["kept"] == 1
    )
    assert {c.step for c in record.commands} == {"prepare", "format", "mount", "write", "sync", "read", "understand"}


def test_what_a_library_is_not_made_for_is_unsupported(bed):
    record = measured(bed, spec(bed, "poi", sector="4096"))
    assert (record.status, record.reason) == ("unsupported", "Apache POI writes no sectors of 4096 bytes")


def test_what_cannot_be_planned_names_its_key(bed):
    for changes, amount, match in (
        ({"level": "paper"}, AMOUNT, "level: there is no 'paper'"),
        ({"sector": "1024"}, AMOUNT, "sector: there is no '1024'"),
        ({"depth": "2"}, AMOUNT, "depth: the family has no such factor"),
        ({}, AMOUNT | {"image_size": "1 MiB"}, "does not fit"),
        ({}, {"scale": {"limit_seconds": 0, "essence": 0}}, "families.aaf_scale.scale.limit_seconds"),
    ):
        with pytest.raises(UserError, match=match):
            spec(bed, "pyaaf2", amount, **changes)
    with pytest.raises(UserError, match="no implementation is called 'zip'|implementation.*zip"):
        spec(bed, "zip")


def test_a_disk_that_fills_in_mid_write_is_a_failed_subject(bed):
    bed.declare_filesystem("cramped", mkfs=["mkfs.ext4", "-q", "-F", "-N", "57344"])  # 14 MiB of inode tables
    amount = {"image_size": "20 MiB", "scale": {"essence": "16 KiB"}}
    chosen = FACTORS | {"level": "aaf", "sources": "160-sources", "essence": "embedded"}
    record = measured(bed, planned(bed, "aaf_scale", "cramped", amount, implementation="pyaaf2", **chosen))
    assert record.status == "failed" and "No space left on device" in record.reason, record.reason
    assert values(record) == {}
