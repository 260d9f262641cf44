"""AAF files and their containers written and read on a real filesystem."""

import pytest
from bed import Bed
from families_bed import held, measured, planned, values
from spindlemark import families
from spindlemark.containers import build
from spindlemark.containers.implementations import IMPLEMENTATIONS
from spindlemark.errors import UserError

AMOUNT = {"image_size": "64 MiB", "scale": {"sources": 0.0002, "essence": "8 KiB"}}
FACTORS = {"level": "container", "sources": "10000-sources", "sector": "512", "essence": "plain"}


@pytest.fixture
def bed(tmp_path, needs_root):
    made = Bed(tmp_path)
    yield made
    made.remove()


def spec(bed, implementation, amount=AMOUNT, **changes):
    return planned(bed, "aaf_scale", "ext4", amount, implementation=implementation, **(FACTORS | changes))


def test_a_whole_file_is_written_read_and_understood(bed):
    record = measured(bed, spec(bed, "pyaaf2", level="aaf", sector="4096", essence="embedded"))
    assert (record.status, record.reason) == ("ok", None)
    assert record.experiment.factors["sources"] == {"name": "10000-sources", "count": 2, "mobs": 10}
    found = values(record)
    assert found.keys() == families.metrics("aaf_scale").keys()
    assert found["file_bytes"] > 6 * 8192 and found["overhead_ratio"] > 1 and found["understood_ratio"] > 0
    assert found["write_seconds"] > found["write_sync_seconds"] and found["read_peak_bytes"] > 1 << 20
    assert held(record, "cold_proof") == [True, True] and held(record, "completeness") == held(record, "content") == [True]
    assert record.attachments["understanding"]["olefile"] == {"kept": 1.0, "says": "read"}


@pytest.mark.parametrize("name", [name for name, each in IMPLEMENTATIONS.items() if each.writes])
def test_each_library_writes_the_tree_and_others_give_it_back(bed, name):
    if each := build.make([name]):
        pytest.skip(each[0])
    record = measured(bed, spec(bed, name))
    assert (record.status, record.reason) == ("ok", None)
    assert values(record).keys() == families.metrics("aaf_scale").keys()
    assert record.experiment.fingerprint["tools"][name] and record.attachments["understanding"]["olefile"]["kept"] == 1
    assert {c.step for c in record.commands} == {"prepare", "format", "mount", "write", "sync", "read", "understand"}
