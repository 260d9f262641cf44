"""Long lists on a question's page: in a fold, so that what was compared is on the first screen."""

import json
import re

import pytest

from spindlemark.site import hugo

TESTBED = {"name": "loop", "title": "this machine's disk", "mark": ""}


@pytest.fixture
def rendered(tmp_path):
    """What a partial template makes of its data."""

    def render(partial: str, **data) -> str:
        for folder in ("layouts", "data", "content", "out", "work"):
            (tmp_path / folder).mkdir()
        (tmp_path / "layouts" / "home.html").write_text(f'{{{{ partial "{partial}" hugo.Data.given }}}}')
        (tmp_path / "data" / "given.json").write_text(json.dumps(data | {"root": "./"}))
        own = [{"source": str(tmp_path / name), "target": name} for name in ("layouts", "data", "content")]
        partials = {"source": str(hugo.TEMPLATES.resolve() / "layouts" / "_partials"), "target": "layouts/_partials"}
        hugo._hugo([*own, partials], tmp_path / "out", tmp_path / "work", disableKinds=[*hugo.NO_KINDS, "404"])
        return (tmp_path / "out" / "index.html").read_text()

    return render


def answer(title: str, statements: list[str]) -> dict:
    return {
        "title": title,
        "path": f"question/{title}/",
        "testbed": TESTBED,
        "verdict": None,
        "statements": statements,
        "notes": ["pyaaf2 is the only configuration measured here, so there is nothing to compare."],
        "sessions": None,
    }


def outside_folds(html: str) -> str:
    return re.sub(r"<details.*?</details>", "", html, flags=re.DOTALL)


def test_many_settings_without_a_comparison_are_folded_and_none_is_missing(rendered):
    alone = [answer(f"alone-{n}", []) for n in range(6)]
    html = rendered("group/list.html", groups=[alone[0], answer("compared", ["xfs wins."]), *alone[1:]], label="All")
    assert "6 settings without a comparison" in html and all(one["path"] in html for one in alone)
    assert "question/compared/" in outside_folds(html) and "alone-" not in outside_folds(html)


def test_a_few_stay_in_their_order(rendered):
    groups = [answer("alone-1", []), answer("compared", ["xfs wins."]), answer("alone-2", [])]
    html = rendered("group/list.html", groups=groups, label="All")
    assert "<details" not in html and html.index("alone-1") < html.index("compared") < html.index("alone-2")


@pytest.mark.parametrize(
    ("count", "current", "summary"),
    [(12, None, None), (13, None, "All 13"), (13, 4, "setting 4, one of 13")],
)
def test_many_tabs_are_folded_below_the_current_one(rendered, count, current, summary):
    items = [{"title": f"setting {n}", "path": f"{n}/", "current": n == current} for n in range(count)]
    html = rendered("group/tabs.html", tabs=[{"label": "Setting", "items": items}])
    assert re.findall(r"<summary>(.*?)</summary>", html) == ([summary] if summary else [])
    assert html.count("<li>") == count and html.count('aria-current="page"') == (current is not None)
    assert ("<li>" in outside_folds(html)) is (summary is None)
