"""Then and now compares like with like: sizes as they were measured, and claims beside what was asked of them."""

import pytest

from findings_data import configurations
from spindlemark.analysis.findings.model import Cell, Contrast, Contrasts, Findings, Group, MetricTable
from spindlemark.analysis.studies.published_cells import read
from spindlemark.analysis.studies.published_model import Compared, Published
from spindlemark.core import paths
from spindlemark.site.context import Context
from spindlemark.site.studies import changes, claims_without_figures, ratios, then_and_now

LOOK = {"colour": 1, "shape": "circle"}


def asked(family: str, question: str, row: dict, **more) -> tuple[Group, Contrasts]:
    """A group, and a question that is answered from it with one row."""
    factors = more.pop("factors", {})
    group = Group(
        group="ram--x",
        testbed="ram",
        family=family,
        library="x",
        library_factors=factors,
        conditions={},
        configurations=["s"],
        metrics=[],
        absent=[],
        notes=[],
        recommendation=None,
    )
    shared = {
        "title": "T",
        "unit": "s",
        "better": "lower",
        "n": 3,
        "baseline_n": 3,
        "p": 0.01,
        "verdict": "better",
        "side": "loss",
        "statement": "",
        "ratio": 0.5,
        "low": 0.4,
        "high": 0.6,
        "median": 2.0,
        "baseline_median": 1.0,
    }
    found = Contrast(**(shared | row))
    return group, Contrasts(
        **(
            {
                "question": question,
                "title": "What?",
                "family": family,
                "testbed": "ram",
                "same": "x",
                "library": "x",
                "workload_title": "100 sources",
                "group": "ram--x",
                "baseline": found.baseline,
                "rows": [found],
                "statement": "",
            }
            | more
        )
    )


def context(*contrasts: Contrasts) -> Context:
    found = Findings(
        confidence=0.95,
        practical_threshold=0.1,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=[asked("x", "x", ROW)[0]],
        contrasts=list(contrasts),
    )
    return Context({"s": LOOK}, {}, {}, {}, found)


ROW = {"configuration": "4096", "baseline": "512", "metric": "write_seconds"}


def pages(study: str, module, group: Group, contrasts: Contrasts) -> list[dict]:
    return module.pages([group], {study: read(paths.REFERENCE / study)}, context(contrasts))


@pytest.mark.parametrize(
    ("count", "then", "called"),
    [(100, 1.10 / 1.09, "100 sources"), (120, 1.10 / 1.09, "100 sources"), (10_000, 110.69 / 317.25, "10,000 sources")],
)
def test_a_printed_row_is_chosen_by_what_was_measured_and_not_by_its_name(count, then, called):
    (page,) = pages(
        "000", changes, *asked("aaf_scale", "sector", ROW, factors={"count": count}, same="x--10000-sources")
    )
    (line,) = page["tasks"][0]["rows"]
    assert (
        line["then"]["value"] == pytest.approx(then)
        and line["published"] == called
        and "100 sources; 1.00 s → 2.00 s" in line["note"]
    )


@pytest.mark.parametrize("factors", [{"count": 30_000}, {}])
def test_a_size_that_no_printed_row_is_near_stands_beside_nothing(factors):
    """Far beyond the largest printed one, and of a release that does not tell it."""
    assert pages("000", changes, *asked("aaf_scale", "sector", ROW, factors=factors)) == []


def test_a_size_of_ours_is_compared_in_the_printed_unit():
    row = {"configuration": "a copy", "baseline": "none", "metric": "edit_seconds"}
    group, contrasts = asked(
        "hdf5_edit",
        "level",
        row,
        factors={"size.bytes": 31_000_000, "commands": 9},
        slug_parts={"a copy": ["yes", "copy"]},
    )
    (page,) = pages("003", changes, group, contrasts)
    assert (
        page["tasks"][0]["rows"][0]["then"]["value"] == pytest.approx(0.08 / 0.004)
        and page["tasks"][0]["words"] == "times as long as none"
    )
    for other in ({"size.bytes": 1_570_000, "commands": 9}, {"size.bytes": 31_000_000, "commands": 3}):
        assert pages("003", changes, group.model_copy(update={"library_factors": other}), contrasts) == []


def test_claims_without_figures_stand_beside_what_was_measured_of_them():
    row = {"configuration": "pages", "baseline": "buffer", "metric": "elapsed_seconds"}
    group, contrasts = asked(
        "raw_storage_cache", "gain", row, same_parts=["local", "write"], slug_parts={"pages": ["64-kib-x-256"]}
    )
    everywhere, write = pages("000", claims_without_figures, group, contrasts)
    assert (
        write["library"].startswith("“ran vastly slower in some cases")
        and write["claim"] == "study/000/#c-cache-slows-write"
    )
    (line,) = write["tasks"][0]["rows"]
    assert line["then"] is None and line["now"]["text"] == "2.00×" and line["says"] == "worse" and everywhere["tasks"]
    far = contrasts.model_copy(update={"same_parts": ["nbd-5-ms", "write"]})
    assert pages("000", claims_without_figures, group, far) == [], (
        "the study's storage was no network with such a delay"
    )


def _group(family: str, library: str, seconds: dict[str, float], metric: str = "check_seconds") -> Group:
    """A group with one ranked metric, without intervals."""
    cells = [
        Cell(
            configuration=name,
            experiment=f"{name}--{library}",
            identity="0",
            n=3,
            samples=[median] * 3,
            noisy=[False] * 3,
            median=median,
            low=median,
            high=median,
            stable=True,
            tier=1,
            ratio=1.0,
        )
        for name, median in seconds.items()
    ]
    table = MetricTable(
        metric=metric,
        title=metric,
        unit="s",
        better="lower",
        ranked=True,
        exact=True,
        why_unranked="",
        cells=cells,
        pairs=[],
        statement="",
    )
    return asked(family, "x", ROW)[0].model_copy(
        update={
            "group": f"{family}--{library}",
            "library": library,
            "configurations": list(seconds),
            "metrics": [table],
            "conditions": {"series": "main"},
        }
    )


@pytest.mark.parametrize(
    ("family", "metric", "says"),
    [
        ("full_size_metadata", "used_after_copy_bytes", "space of files without content"),
        ("full_size_metadata", "check_seconds", "memory now, where seeks take no time"),
        ("filesystem_lifecycle", "used_after_copy_bytes", "space does not compare"),
    ],
)
def test_a_family_stands_in_for_one_of_the_study_with_caveats_of_its_own(family, metric, says):
    now = _group(family, "video-hd", {"ext4": 3.0, "xfs": 1.0}, metric)
    then = _group("filesystem_lifecycle", "video-hd", {"ext4": 12.0, "xfs": 2.0}, metric)
    study = Compared(source="001", title="S", date=None, groups=[then])
    found = Findings(
        confidence=0.95,
        practical_threshold=0.1,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=[now],
        contrasts=[],
    )
    looks = dict.fromkeys(("ext4", "xfs"), LOOK)
    known = {"001": read(paths.REFERENCE / "001")}
    pages = then_and_now.pages(
        found,
        Published(studies=[study], rederived=[]),
        Context(looks, {}, {}, {}, found, configurations=configurations("ext4", "xfs")),
        known,
        {},
    )
    (task,) = next(page for page in pages if page["kind"] == "default")["tasks"]
    rows = {row["subject"]["name"]: row for row in task["rows"]}
    assert rows["xfs"]["then"]["value"] == pytest.approx(1 / 6) and rows["xfs"]["now"]["value"] == pytest.approx(1 / 3)
    assert says in task["note"]
    assert (rows["xfs"]["says"] == ratios.NO_COMPARISON) == (says == "space does not compare")
