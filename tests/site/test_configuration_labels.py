"""Configurations, testbeds and families on the pages: names, orders, addresses, what is shown first of many."""

from dataclasses import replace

from findings_data import configurations
from plain_groups import findings, group
from spindlemark.analysis.findings import question_list
from spindlemark.core.record import Part
from spindlemark.site import address, command_lists, evidence, testbed_labels, verdict_labels, work
from spindlemark.site.context import Context
from spindlemark.site.planner import devices, media


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


def test_questions_come_from_the_declarations_and_unknown_families_have_one_too():
    assert question_list.ask("aging") == "What do years of recording and deleting do to a filesystem?"
    assert question_list.title("network_disk") == question_list.ask("network_disk") == "Network disk"
    assert question_list.factors("aging") == ["filesystem", "scheduler", "control"]
    order = question_list.order(["network_disk", "aging", "filesystem_lifecycle"])
    assert order == ["filesystem_lifecycle", "aging", "network_disk"]


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


def test_testbeds_beyond_the_first_page_of_the_planner_have_their_own(monkeypatch):
    monkeypatch.setattr(media, "MOST_CELLS", 5)
    copied = [
        group(bed, "filesystem_lifecycle", "video", ("ext4", "xfs"), devices.FILL, **{"device.kind": kind})
        for bed, kind in (("l1", "loop"), ("l2", "loop"), ("disk", "hdd"), ("l3", "loop"))
    ]
    other = group("nothing-to-plan", "aging", "")
    assert media._split(findings(*copied, other)) == (["disk", "l1"], ["l2", "l3"])
