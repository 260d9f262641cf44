"""Declared questions: read with the rest or alone, frozen with a release, refused where no result could answer them."""

import shutil

import pytest
import yaml

from editing import edit
from spindlemark import config as declare
from spindlemark.config import questions
from spindlemark.core.errors import UserError
from spindlemark.core.paths import RELEASES
from spindlemark.families import registry as families
from spindlemark.measure import experiments
from spindlemark.release import contents

LIFECYCLE = "questions/filesystem_lifecycle.yaml"


def planned(config):
    return experiments.specs(declare.load(config), "quick")


def test_every_declared_family_has_questions_whose_metrics_it_measures():
    registry = declare.load()
    assert registry.questions == questions.load() and registry.questions.keys() == registry.experiments.keys()
    for family, asked in registry.questions.items():
        assert {task.metric for task in asked.tasks.values()} <= families.metrics(family).keys()


def test_a_wanted_factor_may_be_absent():
    assert questions.meets(None, "absent", lambda: "twin") and not questions.meets("twin", "absent", lambda: "twin")
    assert not questions.meets(None, "usual", lambda: "twin")


def test_a_question_may_have_an_action_of_its_own():
    frames = questions.load()["frame_storage"]
    assert frames.action_of("store").startswith("Store an image sequence as {best}")
    assert frames.action_of("filesystem").startswith("Put an image sequence on {best}")
    assert frames.action_of("writer") == frames.action


def test_a_question_may_have_weights_of_its_own():
    frames = questions.load()["frame_storage"]
    assert set(frames.weights_of("any", "archive")) == {"size"}
    assert frames.weights_of("any", "store") == frames.weights_of("any", "writer") == frames.weights["default"]


def test_questions_that_every_profile_can_answer_are_accepted(resolved):
    assert resolved.keys() == declare.load().profiles.keys() and all(resolved.values())


@pytest.mark.parametrize(
    ("old", "new", "key", "hint"),
    [
        ("weights:", "weigths:", "weigths", "did you mean weights"),
        ("    check: {weight: 1", "    chek: {weight: 2", "weights", "picture weighs chek"),
        ("metric: copy_seconds", "metric: copi_seconds", "tasks.copy.metric", "did you mean copy_seconds"),
        (
            "compare: [filesystem, sch",
            "compare: [filesistem, sch",
            "questions.filesystem.compare.0",
            "did you mean filesystem",
        ),
        (
            "within: [filesystem.name]",
            "within: [filesystem.nam]",
            "questions.setting.within.0",
            "did you mean filesystem.name",
        ),
        (
            "by: [library]",
            "by: [library]\nwords: {library.name: '{} of {library.nosuch}'}",
            "words.library.name",
            "the factor library.nosuch",
        ),
        (
            "by: [library]",
            "by: [library]\naction: 'Use {best}: {copi_seconds}.'",
            "action",
            "did you mean copy_seconds",
        ),
        (
            "    compare: [filesystem, scheduler, control]\n",
            "    compare: [filesystem, scheduler, control]\n    weights: {storing: {weight: 1, reason: it costs}}\n",
            "questions",
            "filesystem weighs storing",
        ),
        ("by: [library]", "by: [library]\naction: Use xfs.", "action", "should match pattern"),
        (
            "    compare: [filesystem, scheduler, control]\n",
            "    compare: [filesystem, scheduler, control]\n    action: 'Use {best}: {copi_seconds}.'\n",
            "questions.filesystem.action",
            "did you mean copy_seconds",
        ),
        ("by: [library]", "by: [codec]", "by.0", "no experiment of the family has the factor codec"),
        ("against: {filesystem.variant: default}", "against: {}", "questions.setting.against", "at least 1"),
        (
            "    compare: [filesystem, scheduler, control]\n",
            "    compare: [filesystem, scheduler, control]\n    against: {scheduler: usual}\n",
            "questions",
            "the first question has a baseline",
        ),
    ],
)
def test_a_question_without_an_answer_names_file_and_key(config, old, new, key, hint):
    edit(config / LIFECYCLE, old, new)
    with pytest.raises(UserError) as refused:
        planned(config)
    assert LIFECYCLE in str(refused.value) and key in refused.value.problem and hint in str(refused.value)


def test_questions_of_a_family_that_is_not_there_are_refused(config):
    shutil.copy(config / "questions/aging.yaml", config / "questions/agin.yaml")
    with pytest.raises(UserError, match="config/questions/agin.yaml: no family is called 'agin'"):
        planned(config)


def test_a_family_without_questions_is_planned_all_the_same(config):
    with_them = [spec.identity for spec in planned(config)]
    for file in (config / "questions").iterdir():
        file.unlink()
    assert [spec.identity for spec in planned(config)] == with_them


def test_publishing_needs_no_other_declaration_than_the_questions(tmp_path, config):
    shutil.copytree(config / "questions", tmp_path / "alone/questions")
    assert questions.load(tmp_path / "alone") == questions.load()


def test_a_release_may_hold_questions_and_older_ones_have_none():
    assert contents.is_known(f"config/{LIFECYCLE}") and not contents.is_known("config/answers/aging.yaml")
    assert questions.load(RELEASES / "2026.11" / "config") == {}


def test_one_more_question_is_one_more_entry(config):
    """It plans nothing anew: identities do not hold what is asked of them."""
    before = [spec.identity for spec in planned(config)]
    declared = yaml.safe_load((config / LIFECYCLE).read_text())
    declared["questions"]["library"] = {
        "title": "Which library is faster?",
        "compare": ["library"],
        "against": {"library.name": "sound"},
    }
    (config / LIFECYCLE).write_text(yaml.safe_dump(declared, sort_keys=False))
    assert [spec.identity for spec in planned(config)] == before


def test_the_declared_weights_fit_the_registry():
    declared = declare.load()
    for name, family in declared.questions.items():
        kinds = {key for key, library in declared.libraries.items() if not library.series_of}
        wanted = {"filesystem_lifecycle": set(declared.libraries), "full_size_metadata": kinds}
        assert set(family.weights) == wanted.get(name, {"default"})
        assert all(families.metrics(name)[task.metric].better != "none" for task in family.tasks.values())
        assert all(weight.reason for weights in family.weights.values() for weight in weights.values())
