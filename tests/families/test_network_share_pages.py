"""What the site draws of network_share, what its planner computes of it, and how it compares with study 002."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import plain_groups
from spindlemark.analysis.findings.model import Cell, Contrast, Contrasts, Group
from spindlemark.analysis.studies.published_cells import read
from spindlemark.core import paths
from spindlemark.site import contrasts
from spindlemark.site.charts import network_share as drawn
from spindlemark.site.context import Context
from spindlemark.site.planner import shares
from spindlemark.site.studies import changes

FAMILY = "network_share"
READ = "seq1m_q8t1_read_bytes_per_second"


def contrast(name: str, baseline: str, ratio: float, interval: tuple[float, float], side: str, **medians) -> Contrast:
    """A clear difference in reading from the share."""
    low, high = interval
    told = {"title": "SEQ1M Q8T1 read", "unit": "B/s", "better": "higher", "n": 3, "baseline_n": 3, "p": 0.01}
    found = {"ratio": ratio, "low": low, "high": high, "verdict": "better", "side": side, "statement": ""}
    return Contrast(configuration=name, baseline=baseline, metric=READ, **told, **found, **medians)


def group(cells: dict[str, float]) -> Group:
    """One table of a group whose subjects are the keys."""
    own = plain_groups.table(READ, cells, title="SEQ1M Q8T1 read", unit="B/s", better="higher")
    return plain_groups.group("link-ram", FAMILY, "", tuple(cells), slug="link-ram--network_share", own=own)


def test_the_picture_shows_packets_that_nobody_cuts_over_their_size():
    def factors(cell: Cell) -> dict[str, str]:
        name, *rest = cell.configuration.split("--")
        mtu, offloads = rest or ("1500", "on")
        return {
            "protocol.name": name.lower(),
            "mtu": mtu,
            "offloads": offloads,
            "link_rate": "unlimited",
            "protocol.over": "network",
        }

    seen = SimpleNamespace(factors=factors, contrasts=lambda *_: [])
    measured = {"NBD": 9e8, "NBD--1500--off": 5e8, "NBD--9000--off": 8e8, "NBD--9000--on": 9.1e8, "SMB": 4e8}
    kept, curves = drawn.charts(group(measured), seen)
    assert kept.rows == [], "nothing was compared with the disk without a network"
    assert [(p.name, p.x, p.y) for p in curves.points] == [("NBD", 1500, 5e8), ("NBD", 9000, 8e8)]
    assert [(p.x, p.y) for p in curves.published] == [(1500, 9e8), (9000, 9.1e8)], (
        "what the kernel hands over at once, beside"
    )
    assert len(drawn.charts(group({"NBD": 9e8, "NBD--1500--off": 5e8}), seen)) == 1, "one size is no curve"


def test_a_field_says_what_a_protocol_keeps_of_the_disks_speed_and_where_that_is_undecided():
    row = contrast("NBD", "local", 0.304, (0.2, 0.4), side="loss", baseline_median=4.79e9)
    rows = [
        row,
        replace(row, metric="seq1m_q8t1_write_bytes_per_second", ratio=0.97, verdict="undecided", side="level"),
        replace(row, metric="read_gb_cpu_seconds"),
    ]
    kept = drawn.charts(
        group({}), SimpleNamespace(contrasts=lambda _, question: rows if question == "network" else [])
    )[0]
    (disk, speeds), (subject, marks) = kept.rows
    assert (disk, subject, speeds[0].word) == ("local", "NBD", "4.79\u00a0GB/s")
    assert [mark.word for mark in marks[:3]] == ["30\u00a0%", "97\u00a0%\u00a0?", "not measured"]
    assert kept.columns == ["Copy from the share", "Copy to the share", "Play", "Record", "Browse"]


def test_the_sources_jumbo_frames_stand_beside_ours_as_ratios():
    row = contrast("9000", "1500", 1.6, (1.4, 1.8), side="gain", median=8e8, baseline_median=5e8)
    asked = Contrasts(
        question="jumbo",
        title="What do jumbo frames gain?",
        family=FAMILY,
        testbed="link-ram",
        same="nbd--ext4--off--in-order",
        same_title="nbd",
        library="ext4--off--in-order",
        workload_title="ext4, offloads off, in order",
        baseline="1500",
        rows=[row],
        statement="",
    )
    own = group({"nbd": 5e8})
    found = plain_groups.findings(own).model_copy(update={"contrasts": [asked]})
    context = Context({"nbd": {"colour": 1, "shape": "circle"}}, {}, {}, {}, found)
    (page,) = changes.pages([own], {"002": read(paths.REFERENCE / "002")}, context)
    (line,) = page["tasks"][0]["rows"]
    assert (page["kind"], page["source"], line["subject"]["name"], line["note"]) == (
        "changed",
        "002",
        "nbd",
        "ext4, offloads off, in order; 500 MB/s → 800 MB/s",
    )
    assert line["then"]["value"] == pytest.approx(1238.39 / 1185.64) and line["now"]["value"] == 1.6
    assert line["says"] == "now better; then too few samples" and len(page["tasks"]) == 1
    unsaid = asked.model_copy(
        update={"session": "s1", "slug_parts": {"9000": ["9000", "on"]}}
    )  # the baseline has the usual offloads
    for parts, told in ((["9000", "on"], ["s1"]), (["1500", "9000"], [])):
        own = [unsaid.model_copy(update={"slug_parts": {"9000": parts}})]
        assert [
            changes.row_of(*found, None, set(), context)["note"].split("; ")[0].split(", ")[-1]
            for found in changes.answers(own, ["9000"], READ)
        ] == told


def test_the_planner_tells_what_each_protocol_keeps_of_the_disk():
    """Here SMB reads at half of the disk's speed, as the contrast has it, and nothing is known of its writing."""
    row = contrast("smb", "local", 0.5, (0.4, 0.6), side="loss", median=5e8, baseline_median=1e9)
    asked = Contrasts(
        question="network",
        title="What does the network take?",
        family=FAMILY,
        testbed="link-ram",
        same="ext4",
        library="",
        baseline="local",
        rows=[row],
        statement="",
        group="link-ram--network_share",
    )
    own = group({"local": 1e9, "smb": 5e8})
    found = plain_groups.findings(own).model_copy(
        update={"contrasts": [asked, asked.model_copy(update={"question": "jumbo"})]}
    )
    look = {"colour": 1, "shape": "circle"}
    (page,) = shares.shares(found, Context({"local": look, "smb": look}, {}, {}, {}, found))
    (line,) = page["protocols"]
    assert (line["subject"]["name"], line["read"], line["read_kept"], line["low"]) == ("smb", "500 MB/s", "50 %", 5e8)
    assert (line["write"], line["write_kept"]) == ("–", "–") and page["name"] == "link-ram"


def test_what_is_told_of_a_wide_contrast_is_not_told_again():
    found = plain_groups.findings()
    context = Context({}, {}, {}, {}, found)

    def row(subject: str, metric: str, verdict: str, **how) -> Contrast:
        return Contrast(
            configuration=subject,
            baseline="1500",
            metric=metric,
            title=metric,
            unit="s",
            better="lower",
            ratio=1.5,
            low=1.1,
            high=2.0,
            p=0.01,
            verdict=verdict,
            statement="",
            **how,
        )

    def page(*rows: Contrast) -> dict:
        (entry,) = contrasts.entries(
            [
                Contrasts(
                    question="jumbo",
                    title="What do jumbo frames gain?",
                    family=FAMILY,
                    testbed="link-ram",
                    library="",
                    group=None,
                    session="s",
                    same="",
                    baseline="1500",
                    rows=[*rows],
                    statement="",
                    identities={},
                )
            ],
            context,
        )
        return entry

    one = [
        row("9000", "m0", "better", side="gain"),
        *(row("9000", f"m{n}", "undecided", side="level") for n in range(1, 14)),
    ]
    shown = page(*one)
    assert [c["title"] for c in shown["told"]["columns"]] == ["m0"] and "m0" not in [
        c["title"] for c in shown["rest"]["columns"]
    ]
    assert shown["rest"]["title"] == "13 more metrics: inconclusive" and shown["blocks"] == []
    both = page(*one, row("16348", "m1", "undecided", side="level"))["rest"]
    assert (
        both["title"] == "All 2 rows, including inconclusive ones"
        and len(both["columns"]) == 14
        and len(both["blocks"][0]["rows"]) == 2
    )
