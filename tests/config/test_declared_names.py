"""Names in declarations that lead nowhere, and amounts that cannot be: told before anything is measured, with the file."""

import os
import subprocess
import sys
from io import StringIO

import pytest
from rich.console import Console

from editing import edit
from spindlemark import config as declare
from spindlemark.cli.terminal import plan_table
from spindlemark.core.errors import UserError
from spindlemark.core.paths import ROOT
from spindlemark.measure import experiments, plan
from spindlemark.testbeds import hosts

AGING = "description: x\nsets:\n  - {{factors: {{filesystem: [ext4], rate: [{rate}]}}, testbeds: [{testbed}]}}\n"


def refused(config, testbed: str = "loop") -> UserError:
    with pytest.raises(UserError) as raised:
        experiments.specs(declare.load(config), "quick", testbed)
    return raised.value


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("families:\n  file_creation:", "families:\n  file_creatoin:", "families: no family is called 'file_creatoin'"),
        ("libraries:\n  picture:", "libraries:\n  pictur: {}\n  picture:", "libraries: no library is called 'pictur'"),
        (
            "      picture: {files: 0.00015",
            "      pictures: {files: 0.00015",
            "testbeds.vm: libraries: no library is called 'pictures'",
        ),
        (
            "      storage_profile:",
            "      storage_profiles:",
            "testbeds.vm: families: no family is called 'storage_profiles'",
        ),
        ("  nvme: *memory", "  nwme: *memory", "testbeds: no testbed is called 'nwme'"),
    ],
)
def test_a_profile_names_what_there_is(config, old, new, key):
    edit(config / "profiles/quick.yaml", old, new)
    assert refused(config).problem == f"config/profiles/quick.yaml: {key}"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("scale: {frames: 16}", "scale: {frame: 1}", "families.frame_storage.scale.frames: Field required"),
        ("bonnie_size: 1 GiB", "bonnie_size: 128 GiB", "families.storage_profile: its largest file needs"),
        ("  sound: {files: 0.01}\n", "", "libraries: sound: is missing"),
    ],
)
def test_what_a_profile_asks_in_vain_is_told_with_its_file(config, old, new, told):
    edit(config / "profiles/quick.yaml", old, new)
    assert refused(config).problem.startswith(f"config/profiles/quick.yaml: {told}")


def test_amounts_that_do_not_fit_one_another_name_the_file_too(config):
    edit(config / "profiles/quick.yaml", "largest: 32 MiB", "largest: 320 MiB")
    assert refused(config, "sata-ssd").problem.startswith(
        "config/profiles/quick.yaml: families.aging.scale.recording.largest: 2 "
    )


def test_a_family_without_a_module_is_told_with_its_file(config):
    (config / "experiments/agin.yaml").write_text("description: x\nsets: []\n")
    assert refused(config).problem == "config/experiments/agin.yaml: no family is called 'agin'"


@pytest.mark.parametrize("testbed", ["processor", "link"])
def test_a_filesystem_needs_a_disk(config, testbed):
    (config / "experiments/aging.yaml").write_text(AGING.format(rate="100-mbit", testbed=testbed))
    with pytest.raises(UserError, match="config/experiments/aging.yaml: filesystem: needs a"):
        experiments.specs(declare.load(config), "quick", testbed)


@pytest.mark.parametrize("folder", ["profiles", "testbeds", "experiments", "questions"])
def test_a_folder_that_cannot_be_read_is_told(config, folder):
    (config / folder).rename(config / "elsewhere")
    with pytest.raises(UserError, match=f"config/{folder}: cannot be read: No such file"):
        declare.load(config)


def test_a_testbed_without_a_kind_misses_that_key(config):
    (config / "testbeds/empty.yaml").touch()
    with pytest.raises(UserError, match="empty.yaml: kind: is missing"):
        declare.load(config)


@pytest.mark.parametrize(("file", "key"), [("recommendations.yaml", "confidence"), ("citation.yaml", "publisher")])
def test_what_only_publishing_reads_is_read_before_measuring(config, file, key):
    edit(config / file, f"{key}:", f"{key}s:")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "spindlemark", "plan"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"SPINDLEMARK_ROOT": str(config.parent)},
        timeout=60,
    )
    assert done.returncode == 2 and f"error: config/{file}: unknown key {key}s" in done.stderr
    assert f"did you mean {key}?" in done.stderr


def test_errors_name_what_lies_in_the_project_from_its_root():
    told = UserError(
        f"{ROOT}/config/config.yaml: seed: is missing", f"restore it with: git checkout -- {ROOT}/config/config.yaml"
    )
    assert told.problem == "config/config.yaml: seed: is missing"
    assert told.remedy == "restore it with: git checkout -- config/config.yaml"


def test_a_plan_of_nothing_says_why():
    with pytest.raises(UserError, match="profile quick measures nothing of family aging on testbed loop"):
        plan.make(declare.load(), plan.Request(family="aging", testbed="loop"))


def test_a_plan_of_one_family_counts_that_one():
    asked, said = plan.Request(family="file_creation", testbed="loop"), StringIO()
    plan_table.plan(Console(file=said, width=200), asked)
    registry = declare.load()
    chosen = [
        e for e in plan.make(registry, asked)[0].experiments if e.chosen and hosts.is_here(registry.testbeds[e.testbed])
    ]
    assert {e.family for e in chosen} == {"file_creation"}
    assert f"Profile quick on testbed loop: {len(chosen)} experiments; " in said.getvalue()
