"""Configurations, testbeds and families on the pages: names, orders, addresses, what is shown first of many."""

import json
from dataclasses import replace

import pytest

import raw_records
from findings_data import configurations
from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Contrast, FilesystemSettings, Findings, Group, MetricTable
from spindlemark.core.record import Part
from spindlemark.site import (
    address,
    attachments,
    command_lists,
    differences,
    evidence,
    methods,
    testbed_labels,
    verdict_labels,
    work,
)
from spindlemark.site.context import Context
from spindlemark.site.planner import devices, media
from spindlemark.site.studies import ratios


def group(
    testbed: str,
    family: str,
    library: str,
    subjects: tuple[str, ...] = ("ext4",),
    metric: str = "m_seconds",
    slug: str | None = None,
    **facts,
) -> Group:
    cells = [
        Cell(
            configuration=s,
            experiment=f"{s}--{library}",
            identity=s,
            n=3,
            samples=[1.0] * 3,
            noisy=[False] * 3,
            median=1.0,
            low=1.0,
            high=1.0,
            stable=True,
        )
        for s in subjects
    ]
    table = MetricTable(
        metric=metric,
        title=metric,
        unit="s",
        better="lower",
        ranked=True,
        why_unranked=None,
        cells=cells,
        pairs=[],
        statement="",
    )
    return Group(
        group=slug or f"{testbed}--{library}",
        testbed=testbed,
        family=family,
        library=library,
        library_factors={},
        conditions=facts,
        configurations=list(subjects),
        metrics=[table],
        absent=[],
        notes=[],
        recommendation=None,
    )


def findings(*groups: Group) -> Findings:
    return Findings(
        confidence=0.95,
        practical_threshold=0.05,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=list(groups),
    )


def test_parts_of_configurations_come_from_the_database():
    known = configurations("xfs+log128m-logbufs8@mq-deadline", "ext4")
    assert known.parts("xfs+log128m-logbufs8@mq-deadline") == Part(
        value="xfs", setting="log128m-logbufs8", under="mq-deadline"
    )
    assert known.is_default("ext4") and not known.is_default("xfs+log128m-logbufs8@mq-deadline")
    assert known.parts("one+by@one").value == "one+by@one", "a name that no record has is not taken apart"


def test_few_are_all_shown_and_of_many_the_default_and_the_best_of_each_base():
    few = ["xfs+a", "ext4", "xfs"]
    many = ["xfs+a", *(f"ext4+{n}" for n in range(12)), "xfs", "ext4"]
    known = configurations(*many, "a+x")
    assert known.leading(few) == few
    assert known.leading(many) == ["xfs+a", "ext4+0", "xfs", "ext4"]
    assert "ext4+7" in known.leading(many, ["ext4+7"])
    assert known.leading(many, candidates=["ext4+3"]) == ["ext4+0", "ext4"]
    assert known.leading(many, candidates=["jfs"]) == known.leading(many)
    context = Context({}, {}, {}, {}, findings(), configurations=known)
    alone = {name: name for name in "abc"}
    assert evidence.blocks(alone, context) == [{"base": "", "rows": ["a", "b", "c"]}]
    assert len(evidence.blocks(alone | {"a+x": "a+x"}, context)) == 3
    blocks = known.by_base(many)
    assert list(blocks) == ["xfs", "ext4"] and blocks["ext4"][:2] == ["ext4", "ext4+0"]


def test_loop_libraries_keep_their_addresses_whatever_comes_later():
    every = findings(
        group("disk", "filesystem_lifecycle", "picture"),
        group("loop", "filesystem_lifecycle", "picture"),
        group("loop", "filesystem_lifecycle", "picture", slug="loop--picture--0a1b2c"),
        group("loop", "aging", ""),
        group("vm", "aging", ""),
    )
    assert address.groups(every) == {
        "loop--picture": "library/picture/",
        "loop--picture--0a1b2c": "library/loop--picture--0a1b2c/",
        "disk--picture": "library/disk--picture/",
        "loop--": "question/aging/loop/",
        "vm--": "question/aging/vm/",
    }
    assert address.experiment_folder("loop", "filesystem_lifecycle") == "experiment/loop/"
    assert address.experiment_folder("loop", "aging") == "experiment/loop/aging/"


def test_addresses_have_small_letters_alone():
    every = findings(group("link", "http_streams", "ext4--iVDR--128"))
    assert list(address.groups(every).values()) == ["question/http-streams/ext4--ivdr--128/"]
    row = {"testbed": "link", "family": "http_streams"}
    assert address.experiments({("nginx--iVDR", "0"): [row]}) == {
        ("nginx--iVDR", "0"): "experiment/link/http_streams/nginx--ivdr/"
    }


def test_emulated_testbeds_come_last_and_say_so():
    vm = group("a-vm", "aging", "", **{"machine.accelerator": "tcg", "machine.emulated": True, "device.kind": "vm"})
    fast = group("b-vm", "aging", "", **{"machine.accelerator": "kvm", "device.kind": "vm"})
    loop, disk = (group(kind, "aging", "", **{"device.kind": kind}) for kind in ("loop", "block"))
    assert testbed_labels.order(findings(vm, fast, loop, disk)) == ["block", "loop", "b-vm", "a-vm"]
    assert testbed_labels.of_group(vm)["mark"] and not testbed_labels.of_group(fast)["mark"]


def test_what_is_new_is_counted_by_family_testbed_and_base():
    old = findings(group("loop", "filesystem_lifecycle", "picture"))
    tuned = group("loop", "filesystem_lifecycle", "picture", ("ext4", "ext4+m0", "xfs"))
    tuned.settings["ext4+m0"] = FilesystemSettings(filesystem="ext4", variant="m0")
    new = findings(
        tuned,
        group("loop", "aging", "", ("ext4",), "kept_ratio"),
        group("vm", "filesystem_lifecycle", "picture"),
    )
    found = differences.compare(new, old)
    assert found["compared"] == 1 and found["removed"] == [] and found["added_metrics"] == []
    assert [(e["family"], e["testbed"], e["count"]) for e in found["added"]] == [
        ("Aging", "loop", "1 experiment"),
        ("Library types", "loop", "2 experiments"),
        ("Library types", "vm", "1 experiment"),
    ]
    assert found["added"][1]["bases"][0] == {
        "base": "ext4",
        "summary": "1 configuration × 1 workload",
        "names": ["ext4+m0 with picture"],
    }


def test_one_subject_under_two_families_is_not_compared_with_itself():
    new, old = findings(group("loop", "aging", "", metric="m_seconds")), findings(group("loop", "other", ""))
    found = differences.compare(new, old)
    assert found["compared"] == 0 and found["apart"] == [] and len(found["added"]) == len(found["removed"]) == 1


def test_attachments_have_the_units_that_their_family_declares(tmp_path):
    trials = [{"viewers": 4, "device_bytes": 5_000_000, "goodput_bytes_per_second": 2e6, "own_bytes": 7}]
    row = {"family": "http_streams", "testbed": "link", "experiment": "nginx", "identity": "0", "repetition": 1}
    row = raw_records.keep(tmp_path, row, {"trials": trials})
    [shown] = attachments.of_experiment([row], raw_records.below(tmp_path))["kept"]
    assert shown["columns"] == ["viewers", "device", "goodput", "own bytes"]
    assert shown["rows"] == [["4", "5.00 MB", "2.00 MB/s", "7"]]


def test_attachments_are_tables_where_they_are_rows(tmp_path):
    kept = {
        "fresh-probes": [{"streams": 4, "held": True, "worst": 0.123456, "fio": {"jobs": []}}, {"streams": 5}],
        "bonnie": {"text": "1.98,2\n", "tests": [1]},
        "seq": {"jobs": [{"a": 1}]},
        "note": {"limited_by": "disk"},
        "zcuts": [
            {"upto": 7, "also": [8], "fate": "kept"},
            {"upto": 7, "also": [], "fate": "kept"},
            {"upto": 9, "fate": "lost"},
        ],
    }
    row = {
        "family": "aging",
        "testbed": "loop",
        "experiment": "ext4",
        "identity": "0",
        "repetition": 1,
    }
    row = raw_records.keep(tmp_path, row, kept)
    bonnie, probes, note, seq, cuts = attachments.of_experiment([row], raw_records.below(tmp_path))["kept"]
    assert probes["columns"] == ["streams", "held", "worst"] and probes["rows"] == [
        ["4", "yes", "0.1235"],
        ["5", "", ""],
    ]
    assert bonnie["text"] == "1.98,2" and note["facts"] == [{"label": "limited by", "value": "disk"}]
    assert seq == {"name": "seq", "size": "20 B"}
    assert cuts["columns"] == ["upto", "fate", "times"] and cuts["rows"] == [["7", "kept", "2"], ["9", "lost", "1"]]
    assert attachments.of_experiment([row | {"family": address.FIRST}], tmp_path) is None


@pytest.mark.parametrize(("better", "value", "interval"), [("lower", 0.5, "0.45–0.56"), ("higher", 2.0, "1.80–2.20")])
def test_a_gain_reads_as_a_ratio_of_values(better, value, interval):
    gain = Contrast(
        configuration="ext4+m0",
        baseline="ext4",
        metric="m",
        title="M",
        ratio=2.0,
        low=1.8,
        high=2.2,
        p=0.01,
        verdict="better",
        side="gain",
        statement="",
    )
    found = ratios.of_contrast(gain, better, 5)
    assert (found["value"], found["interval"], found["side"], found["n"]) == (value, interval, "better", 5)


def test_nothing_has_no_ratio_to_anything():
    """As requests of a filesystem that reads nothing: neither it nor what stands beside it is drawn as a multiple."""
    cells = [
        Cell(
            configuration=name,
            experiment=name,
            identity="0",
            n=3,
            missing=0,
            samples=[value] * 3,
            noisy=[False] * 3,
            median=value,
            low=value,
            high=value,
            stable=True,
        )
        for name, value in (("btrfs", 0.0), ("btrfs+single", 0.0), ("ext4", 6.0))
    ]
    table = MetricTable(
        metric="m_count",
        title="M",
        unit="1",
        better="lower",
        ranked=True,
        why_unranked=None,
        primary=False,
        exact=True,
        cells=cells,
        pairs=[],
        statement="",
    )
    assert ratios.ratio(table, "btrfs", "btrfs+single") is None and ratios.ratio(table, "ext4", "btrfs") is None
    assert ratios.ratio(table, "ext4", "ext4")["value"] == 1


def test_sections_of_a_method_have_ids_of_their_family(tmp_path):
    (tmp_path / "a.md").write_text("# `a`, method 2\n\n## What it measures\n\nSpeed.\n\n## Limits\n\n- None.\n")
    assert methods.text(tmp_path / "a.md", "f-a") == (
        "### What it measures {#f-a-what-it-measures}\n\nSpeed.\n\n### Limits {#f-a-limits}\n\n- None."
    )
    assert methods.text(tmp_path / "b.md", "f-b") == ""


def test_questions_come_from_the_declarations_and_unknown_families_have_one_too():
    assert question_list.ask("aging") == "What do years of recording and deleting do to a filesystem?"
    assert question_list.title("network_disk") == question_list.ask("network_disk") == "Network disk"
    assert question_list.factors("aging") == ["filesystem", "scheduler", "control"]
    order = question_list.order(["network_disk", "aging", "filesystem_lifecycle"])
    assert order == ["filesystem_lifecycle", "aging", "network_disk"]


def measured(identity: str, value: float, session: str = "", **facts) -> Findings:
    """One group with one result; `identity` and `session` are what two versions may share."""
    found = group("loop", "aging", "", **facts).model_copy(update={"session": session})
    cell = replace(found.metrics[0].cells[0], identity=identity, median=value, low=value, high=value)
    return findings(found.model_copy(update={"metrics": [found.metrics[0].model_copy(update={"cells": [cell]})]}))


def test_results_of_two_machines_are_no_change_and_both_are_named():
    one, other = ({"machine.cpu": cpu, "kernel": "6.1"} for cpu in ("One", "Other"))
    found = differences.compare(measured("b", 2.0, **other), measured("a", 1.0, **one))
    assert (found["compared"], len(found["changed"]), len(found["apart"])) == (0, 0, 1)
    facts = {f["label"]: (f["old"], f["new"], f["differs"]) for f in found["machines"][0]["facts"]}
    assert facts == {"Processor": ("One", "Other", True), "Kernel": ("6.1", "6.1", False)}


@pytest.mark.parametrize(
    ("new", "old"),
    [(measured("a", 2.0), measured("a", 1.0)), (measured("b", 2.0, "monday"), measured("a", 1.0, "monday"))],
)
def test_results_of_one_identity_or_session_are_compared(new, old):
    found = differences.compare(new, old)
    assert found["compared"] == 1 and [row["verdict"] for row in found["changed"]] == ["worse"]


def test_the_head_of_intervals_says_what_they_are():
    few, many = (replace(group("loop", "aging", "").metrics[0].cells[0], n=n) for n in (3, 6))
    heads = [verdict_labels.interval_head(cells, 0.95) for cells in ([few], [many], [few, many])]
    assert heads == ["Range", "95 % interval", "Interval"]
    assert (verdict_labels.is_range(few), verdict_labels.is_range(many)) == (True, False)


def test_cpu_time_and_faults_are_said_where_they_were_recorded(snapshot):
    assert command_lists.used({"seconds": 1.0, "user_seconds": None}) == ""
    counted = {"user_seconds": 0.25, "system_seconds": 1.5, "minor_faults": 1234, "major_faults": 0}
    snapshot(command_lists.used(counted))


def test_work_is_told_in_words_only_where_it_is_exact_enough(snapshot):
    context = Context({}, {}, {}, {}, findings())

    def told(metric: str, low: float, spread: float) -> str | None:
        table = group("loop", "aging", "", ("ext4", "ext3"), metric).metrics[0]
        cells = [
            replace(c, samples=[v, v * (1 + spread)], n=2, median=v)
            for c, v in zip(table.cells, (low, 2.1), strict=True)
        ]
        found = work._sentence(table.model_copy(update={"title": "Copy", "cells": cells}), context)
        return found and found[1]

    snapshot(told("copy_device_written_bytes", 1.0, 0.01))
    assert told("copy_device_written_bytes", 1.0, 0.2) is None and told("copy_device_written_bytes", 2.0, 0.0) is None
    assert evidence.is_work("copy_cpu_seconds") and not evidence.is_work("copy_seconds")
    assert (evidence.shown_at("copy_cpu_seconds"), evidence.shown_at("copy_seconds")) == ("work", "copy-seconds")


def test_the_table_of_the_benchmark_is_shown_where_it_is(tmp_path):
    assert methods.truth(tmp_path / "none.json") == []
    rows = [{"section": "False alarms", "label": "per question", "value": 0.031, "text": "at most 5 %"}]
    (tmp_path / "truth.json").write_text(json.dumps(rows))
    assert methods.truth(tmp_path / "truth.json") == [
        {"section": "False alarms", "rows": [{"label": "per question", "value": "0.031", "text": "at most 5 %"}]}
    ]


def test_each_recording_has_its_pieces():
    told = "r/0: 4 extents found\nr/1: 1 extent found\nr/2: 1 extent found\n"
    found = command_lists.pieces([{"repetition": 1, "step": "aged-pieces", "stdout": told}])
    assert found == [
        {"n": 1, "step": "aged pieces", "recordings": 3, "pieces": "6", "most": "4", "spread": "2 in 1, 1 in 4"}
    ]


def test_testbeds_beyond_the_first_page_of_the_planner_have_their_own(monkeypatch):
    monkeypatch.setattr(media, "MOST_CELLS", 5)
    copied = [
        group(bed, "filesystem_lifecycle", "video", ("ext4", "xfs"), devices.FILL, **{"device.kind": kind})
        for bed, kind in (("l1", "loop"), ("l2", "loop"), ("disk", "hdd"), ("l3", "loop"))
    ]
    other = group("nothing-to-plan", "aging", "")
    assert media._split(findings(*copied, other)) == (["disk", "l1"], ["l2", "l3"])
