"""The first table of the home page: best, tie, worse, open, and one sentence that says the same."""

from types import SimpleNamespace

import pytest

from judged import findings as judged
from spindlemark.site import heatmap


@pytest.fixture
def context():
    named = {group.group: f"library/{group.group}/" for group in judged().groups}
    return SimpleNamespace(
        groups=named, workload=lambda group: group.library, configuration=lambda name: {"name": name}
    )


@pytest.fixture
def told(context):
    groups = [group for group in judged().groups if group.group in ("loop--picture", "loop--sound", "loop--video")]
    found = heatmap.build(groups, context)
    return {row["subject"]["name"]: [cell["mark"] for cell in row["cells"]] for row in found["rows"]}, found


def test_each_library_says_who_is_best_who_ties_and_what_is_open(told):
    marks, found = told
    assert [column["title"] for column in found["columns"]] == ["picture", "sound", "video"]
    assert marks["xfs"] == ["best", "tie", "open"] and marks["btrfs"][0] == "worse"
    assert {"xfs", "ext4", "btrfs"} == set(marks)


def test_who_is_behind_shows_by_how_much(told):
    _, found = told
    cells = {row["subject"]["name"]: row["cells"] for row in found["rows"]}
    assert cells["btrfs"][0]["text"] == "+50\N{NO-BREAK SPACE}%" and cells["btrfs"][0]["step"] == 3


def test_the_sentence_names_who_is_beaten_nowhere(told):
    _, found = told
    assert found["statement"].startswith("Take xfs: nothing beats it with any of these libraries.")
    assert found["statement"].endswith("More rounds will show the open ones.")
    assert found["rows"][0]["subject"]["name"] == "xfs"


def test_without_advice_there_is_no_table(context):
    assert heatmap.build([group for group in judged().groups if group.recommendation is None], context) is None


def test_other_amounts_of_a_library_have_a_table_of_their_own(context):
    """Smallest first, those of the same testbed alone."""
    groups = [g for g in judged().groups if g.group in ("loop--picture", "loop--sound", "loop--video")]
    video, (picture, sound) = groups[2], groups[:2]
    context.declared = {"picture": SimpleNamespace(files=36), "sound": SimpleNamespace(files=9)}
    context.series_of = lambda group: "video" if group in (picture, sound) else None
    elsewhere = picture.model_copy(update={"testbed": "ram"})
    found = heatmap.amounts(video, [*groups, elsewhere], context)
    assert [column["title"] for column in found["columns"]] == ["sound", "picture"]
    assert "of these amounts" in found["statement"]
    assert heatmap.amounts(picture, groups, context) is None
