"""What bonnie++ printed, read from recorded outputs, and the program that answers its prompts."""

import json
import subprocess
import sys

import pytest

from spindlemark.core import bonnie_output
from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.core.paths import ROOT
from spindlemark.families.storage_profile import family as storage_profile
from spindlemark.harness import bonnie, bonnie_cold, repetition
from spindlemark.harness.repetition import Repetition

RECORDED = ROOT / "tests/recorded/bonnie"


def recorded():
    return json.loads((RECORDED / "bonnie-without-char.json").read_text())


def test_rates_latencies_and_what_ended_too_soon():
    """bonnie++ 2.00a on ext4, 512 MiB, 1,024 files, told to leave out its tests of single bytes."""
    done = bonnie_output.parse(recorded())
    assert done.too_fast == ["sequential_read", "sequential_stat", "random_stat"]
    assert done.values["sequential_write_bytes_per_second"] == 361350 * 1024
    assert done.values["sequential_rewrite_bytes_per_second"] == 256151 * 1024
    assert done.values["seeks_per_second"] == 6940
    assert done.values["sequential_create_per_second"] == 254 and done.values["random_delete_per_second"] == 1003
    assert done.values["sequential_write_latency_longest_seconds"] == 0.008114
    assert done.values["random_stat_latency_longest_seconds"] == 0.001918  # a test too short still has a latency
    assert not [name for name in done.values if "char" in name]
    assert done.tests["sequential_rewrite"] == {"read_bytes": 540016640, "written_bytes": 536887296}


def test_single_bytes_and_milliseconds():
    """The same on a busy disk, with the tests of single bytes."""
    done = bonnie_output.parse({"text": (RECORDED / "bonnie-busy-disk.txt").read_text(), "tests": []})
    assert done.values["sequential_write_char_bytes_per_second"] == 381 * 1024
    assert done.values["sequential_read_char_bytes_per_second"] == 1437 * 1024
    assert done.values["seeks_latency_longest_seconds"] == 0.171
    assert done.values["sequential_delete_latency_longest_seconds"] == 0.248
    assert done.too_fast == ["sequential_rewrite", "sequential_read", "sequential_stat", "random_stat"]


def test_every_value_is_a_metric_of_the_family():
    known = storage_profile.METRICS
    for test in bonnie_output.TESTS:
        assert bonnie_output.rate(test) in known and bonnie_output.latency(test) in known
    assert bonnie_output.parse(recorded()).values.keys() <= known.keys()


@pytest.mark.parametrize("text", ["", "Can't open file ./Bonnie.1\n", "1.97,1.97,x,1,1,2\n", "1.98,2.00a,cut\n"])
def test_an_output_that_cannot_be_read_is_a_failure(text):
    with pytest.raises(Failed, match="no CSV of format 1.98"):
        bonnie_output.parse({"text": text, "tests": []})


def test_published_metrics_of_bonnie_have_the_same_names_and_units():
    import yaml

    from spindlemark.core.paths import ROOT

    tables = yaml.safe_load((ROOT / "data/reference/001/source.yaml").read_text())["tables"]
    published = {m["metric"]: m["unit"] for m in tables["figure-13"]["measures"] if "cpu_ratio" not in m["metric"]}
    assert published.keys() <= storage_profile.METRICS.keys()
    assert {name for name, unit in published.items() if unit == "KiB/s"} == {
        name for name in published if storage_profile.METRICS[name].unit == "B/s"
    }


def test_no_bonnie_is_unsupported_and_names_the_package(monkeypatch):
    monkeypatch.setattr(repetition, "find", lambda tool: None)
    plain = Repetition(spec=None, number=1, registry=None, declared=None)
    with pytest.raises(Unsupported, match=r"package bonnie\+\+"):
        bonnie.run(plain, [], 1, "bonnie")


def test_each_prompt_is_answered_and_counted(tmp_path, needs_root):
    """A dialogue like bonnie++'s; the counters stand still, since they are a file here."""
    stat, output = tmp_path / "stat", tmp_path / "output"
    stat.write_text("1 0 8 0 1 0 16 0 0 0 0\n")
    talk = "for n in 1 2; do printf '\\n%s:\\n' $n; read line; done; echo done; exit 3"
    done = subprocess.run(
        [sys.executable, bonnie_cold.__file__, stat, output, "sh", "-c", talk],
        text=True,
        timeout=30,
        capture_output=True,
        check=False,
    )
    said = json.loads(output.read_text())
    assert done.returncode == 3 and done.stderr.endswith("done\n")
    assert said == {
        "text": "\n1:\n\n2:\ndone\n",
        "tests": [{"test": 1, "read_bytes": 0, "written_bytes": 0}, {"test": 2, "read_bytes": 0, "written_bytes": 0}],
    }
