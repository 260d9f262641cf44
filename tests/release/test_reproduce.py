"""Measuring a release again: what it holds of the declarations plans exactly its experiments."""

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

import factory
from spindlemark import config as declare
from spindlemark.analysis import database, findings
from spindlemark.core import paths
from spindlemark.core.record import Experiment, Spec, canonical
from spindlemark.measure import declaring_profiles, experiments
from spindlemark.release import manifest, reproduce
from spindlemark.release import versions as release
from spindlemark.release.citation.citation_model import Measured

PROFILE, TESTBED, FAMILIES = "quick", "loop", ("file_creation", "filesystem_lifecycle")


@pytest.fixture(scope="module")
def config(tmp_path_factory) -> Path:
    """The declarations of two families, one of which is measured only by name, with an option of our own."""
    folder = tmp_path_factory.mktemp("declared") / "config"
    shutil.copytree(paths.CONFIG, folder)
    for kind in ("experiments", "questions"):
        for path in (folder / kind).glob("*.yaml"):
            if path.stem not in FAMILIES:
                path.unlink()
    change(folder / "filesystems.yaml", lambda all_of: all_of["ext4"]["mkfs"].extend(["-L", "ours"]))
    change(folder / "profiles/quick.yaml", lambda p: p["families"]["file_creation"].update(alone_minutes=5))
    return folder


def change(path: Path, edit) -> None:
    content = yaml.safe_load(path.read_text())
    edit(content)
    path.write_text(yaml.safe_dump(content))


def told(found: Iterable[Experiment]) -> set[str]:
    """All that identities are made of."""
    return {canonical(e.model_dump(mode="json")) for e in found}


def specs(folder: Path) -> list[Experiment]:
    found = manifest.records(folder)
    return [Spec.model_validate_json(content).experiment for path, content in found if path.endswith("/spec.json")]


def planned(folder: Path) -> list[Experiment]:
    return [spec.experiment for spec in experiments.specs(declare.load(folder), PROFILE, TESTBED)]


@pytest.fixture(scope="module")
def frozen(config, tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("again")
    records = [path for e in planned(config) for path in factory.write(root, e, 2)]
    build, report = root / "data.duckdb", root / "findings.json"
    database.build(records, build)
    report.write_text(findings.compute(build, findings.load(config / "recommendations.yaml"), 0.2).model_dump_json())
    return release.freeze(
        "2026.11.9", records, build, report, root / "releases", None, {PROFILE: list(FAMILIES)}, config, code=root
    )


def test_the_frozen_declarations_plan_exactly_what_was_released(frozen):
    measured = told(specs(frozen))
    assert len(measured) > 20 and any('"ours"' in each for each in measured)
    assert told(planned(frozen / "config")) == measured
    assert told(planned(paths.CONFIG)) != measured, "other declarations plan something else"


def test_the_readme_says_the_commands(frozen):
    text = (frozen / "README.md").read_text()
    last = reproduce.commands(frozen, "2026.11.9", release.read(frozen).measured, None)[-1]
    assert last == "./spindlemark run --profile quick --testbed loop"
    assert f"{last}\n```" in text and "cp -r data/releases/2026.11.9/config" in text


def test_what_is_measured_only_by_name_is_asked_for_by_name(frozen):
    measured: Measured = release.read(frozen).measured.model_copy(update={"testbeds": ["loop", "ram"]})
    assert reproduce.commands(frozen, "2026.11.9", measured, None)[-2:] == [
        "./spindlemark run --profile quick",
        "./spindlemark run --profile quick --family file_creation",
    ]


def test_each_profile_of_a_mixed_release_is_asked_for_with_its_families(frozen):
    measured: Measured = release.read(frozen).measured
    several = measured.model_copy(update={"profiles": {"quick": ["file_creation"], "standard": list(FAMILIES)}})
    assert reproduce.commands(frozen, "2026.11.9", several, None)[-3:] == [
        "./spindlemark run --profile quick --family file_creation",
        "./spindlemark run --profile standard --family file_creation",
        "./spindlemark run --profile standard --family filesystem_lifecycle",
    ]


def test_experiments_count_for_the_first_profile_that_declares_them():
    registry = declare.load()
    quick, standard = (
        [spec.experiment for spec in experiments.specs(registry, name, TESTBED)] for name in ("quick", "standard")
    )
    longer = next(e for e in standard if e.identity() not in {each.identity() for each in quick})
    gone = longer.model_copy(update={"factors": {"declared": "no more"}})
    first = next(e for e in quick if e.family == "filesystem_lifecycle")
    both = [first, longer, gone]
    assert declaring_profiles.of(registry, [first, gone], "quick") == {"quick": ["filesystem_lifecycle"]}
    assert declaring_profiles.of(registry, both, "quick") == {
        "quick": ["filesystem_lifecycle"],
        "standard": [longer.family],
    }
    again = declaring_profiles.of(registry, both, "standard")
    assert next(iter(again)) == "standard" and longer.family in again["standard"]


@pytest.mark.parametrize("version", sorted(path.parent.name for path in paths.RELEASES.glob("2*/manifest.json")))
def test_every_release_says_how_whatever_the_shape_of_its_declarations(version):
    folder = paths.RELEASES / version
    whole = release.read(folder)
    lines = reproduce.commands(folder, version, whole.measured, whole.code)
    assert whole.code and whole.code.commit in lines[0]
    assert any(f"./spindlemark run --profile {whole.measured.profile}" in line for line in lines)
