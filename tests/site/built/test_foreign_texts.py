"""A release whose every text is an attack: on its pages all of it is text, also after the scripts have run."""

import json
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

import built
from spindlemark.analysis import database
from spindlemark.analysis.findings import findings_files
from spindlemark.analysis.findings.model import Findings
from spindlemark.core import compressed, records_file
from spindlemark.core.paths import REFERENCE
from spindlemark.release import manifest
from spindlemark.release import versions as release
from spindlemark.release.contributions import replication
from spindlemark.release.contributions.machine import Machine
from spindlemark.release.contributions.replication_model import AnalysedContribution
from spindlemark.site import packed_pages

EVIL = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7 }}"
# What pages and files are found by, and what is checked against a closed list.
STRUCTURE = {
    "verdict",
    "side",
    "group",
    "testbed",
    "family",
    "library",
    "experiment",
    "identity",
    "metric",
    "task",
    "better",
    "topic",
}


def poisoned(value, subjects: set[str], key: str = ""):
    """Every free text with the attack behind it; subjects keep one name wherever they stand."""
    if isinstance(value, dict):
        return {k + EVIL if k in subjects else k: poisoned(v, subjects, k) for k, v in value.items()}
    if isinstance(value, list):
        return [poisoned(v, subjects, key) for v in value]
    return value + EVIL if isinstance(value, str) and key not in STRUCTURE else value


def poison_findings(path: Path) -> None:
    found = json.loads(findings_files.content(path.parent))
    for group in found["groups"]:
        tasks = group["recommendation"]["weighing"]["tasks"] if group["recommendation"] else []
        group.update(poisoned(group, set(group["configurations"])))
        if tasks:
            group["recommendation"]["weighing"]["tasks"] = tasks
    found["contrasts"] = poisoned(found["contrasts"], set())
    Findings.model_validate(found)
    path.write_bytes(compressed.compress(json.dumps(found).encode()))


def join(folder: Path) -> None:
    """Another machine joins, that says the same and is called by the attack."""
    own = findings_files.read(folder / findings_files.RELEASED)
    heard = AnalysedContribution(
        file="a.zip",
        sha256="0" * 64,
        bytes=1,
        machine=Machine(host=None, cpu=EVIL, cpus=1),
        sessions=[EVIL],
        records=1,
        succeeded=1,
        first="2026-11-01",
        last="2026-11-01",
        commits=[EVIL],
        findings=own,
    )
    (folder / "joined").mkdir()
    (folder / "joined/a.zip").write_bytes(b"bundle")
    (folder / "joined.json").write_text(replication.gather(own, [heard]).model_dump_json())


def poison_record(content: bytes) -> bytes:
    record = json.loads(content)
    record["reason"] = EVIL if record["status"] != "ok" else None
    record["environment"] = poisoned(record["environment"], set()) | {EVIL: EVIL}
    for command in record["commands"]:
        command.update(step=command["step"] + EVIL, argv=[*command["argv"], EVIL], stdout=EVIL, stderr=EVIL)
    for gate in record["validity"]:
        gate.update(detail=EVIL, unit=EVIL)
    record["attachments"] = {EVIL: EVIL, "table": [{EVIL: EVIL}], "facts": {EVIL: EVIL}}
    return json.dumps(record).encode()


def poison_declaration(path: Path) -> None:
    def texts(value, key=""):
        if isinstance(value, dict):
            return {k: texts(v, k) for k, v in value.items()}
        return f"{value}{EVIL}" if key in ("title", "description") else value

    path.write_text(yaml.safe_dump(texts(yaml.safe_load(path.read_text()))))


@pytest.fixture(scope="module")
def foreign(made, tmp_path_factory) -> Path:
    """HTML of the poisoned release, which passes every check of a release."""
    root = tmp_path_factory.mktemp("foreign")
    folder = Path(shutil.copytree(made / "releases/2026.11", root / "releases/2026.11"))
    poison_findings(folder / findings_files.RELEASED)
    join(folder)
    records_file.write(
        folder / records_file.NAME,
        {
            path: content if path.endswith("spec.json") else poison_record(content)
            for path, content in manifest.records(folder)
        },
    )
    for path in folder.glob("config/**/*.yaml"):
        poison_declaration(path)
    for name in ("citation.bib", "CITATION.cff", "README.md"):
        (folder / name).write_text(EVIL)
    whole = json.loads((folder / "manifest.json").read_text())
    whole["measured"]["statement"] += EVIL
    whole["files"] = [file.model_dump() for file in manifest.describe(folder)]
    whole["records"] = [manifest.of_record(*each).model_dump() for each in manifest.records(folder)]
    (folder / "manifest.json").write_text(json.dumps(whole))
    release.verify(folder)
    target = root / "spindlemark.duckdb"
    database.build_release(folder, target, REFERENCE)
    return built.build(root, "2026.11", root / "releases", target, folder / findings_files.RELEASED)


class Elements(HTMLParser):
    """What a browser would run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.data: list[str] = []
        self._linked = False

    def handle_starttag(self, tag, attributes) -> None:
        given = dict(attributes)
        self.found += [name for name in given if name.startswith("on")]
        if tag == "img" and not given["src"].endswith("mark.svg"):
            self.found.append(f"img {given}")
        self._linked = tag == "script" and given.get("type") == "application/ld+json"
        if tag == "script" and not self._linked and not given.get("src", "").endswith(".js"):
            self.found.append(f"script {given}")
        self.found += [
            v
            for name, v in given.items()
            if name in ("href", "src") and v != "data:," and v.strip().lower().startswith(("javascript:", "data:"))
        ]

    def handle_data(self, data) -> None:
        if self._linked:
            self.data.append(data)
            self._linked = False


def test_no_text_becomes_an_element(foreign):
    told = 0
    for path in foreign.rglob("*.html"):
        page = Elements()
        text = packed_pages.text(path)
        page.feed(text)
        assert page.found == [], path
        told += text.count("&lt;img src=x")
        for data in page.data:
            assert json.loads(data)["@type"] == "Dataset"
    assert len(list(foreign.glob("machine/*/index.html"))) == 2
    assert told > 1000, "the attack is shown as text"


def test_no_folder_holds_a_page_that_is_not_ours(foreign):
    assert {p.parent for p in foreign.rglob("*.html") if "download" in p.parts or "records" in p.parts} == set()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "library/picture/",
        "explore/?source=any",
        "explore/?view=heatmap",
        "planner/",
        "data/",
        "method/",
        "experiment/",
        "experiment/loop/ext4--picture/",
        "versions/",
        "machine/",
    ],
)
def test_no_script_makes_an_element_of_a_text(visit, foreign, path):
    page = visit(path, folder=foreign)
    if path.startswith("explore/"):
        page.wait_for_selector("#explore[data-ready]")
        for button in page.locator("th button").all():
            button.click()
    if path == "machine/":
        rows = page.locator("tr[data-processor]:visible")
        both = rows.count()
        page.select_option("select[name=processor]", EVIL)
        assert both > 1 and rows.count() * 2 == both
        assert "In this selection, " in page.inner_text("main")
    for button in page.locator(".explore:visible").all()[:2]:
        button.click()
    page.wait_for_load_state("networkidle")
    if page.locator(".chart.live svg").count() and (box := page.locator(".chart.live svg").first.bounding_box()):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # its marks may just be drawn anew
    assert (
        page.evaluate("""() => [...document.querySelectorAll('*')].filter((e) =>
        [...e.attributes].some((a) => a.name.startsWith('on'))
        || e.matches('img:not([src$="mark.svg"]), script:not([src$=".js"]):not([type="application/ld+json"])')
    ).map((e) => e.outerHTML)""")
        == []
    )
