"""The factors of file_creation and storage_profile: what a profile makes of the source's sizes."""

import pytest
import yaml

from spindlemark.core.errors import UserError
from spindlemark.core.paths import ROOT
from spindlemark.families import registry as families
from spindlemark.families.storage_profile import family as storage_profile

MIB, GIB = 2**20, 2**30
PROFILE = {"file_size": "16 MiB", "seconds": 0.5, "bonnie_size": "32 MiB", "bonnie_char_size": 0, "bonnie_files": 1024}


def created(layout, size=698 * GIB, cache="direct"):
    return families.factors("file_creation", {"layout": layout, "cache": cache}, {}, size)


@pytest.mark.parametrize(
    ("layout", "files", "file_bytes"),
    [
        ("one-1-gb", 1, GIB),
        ("one-256-gb", 1, 256 * GIB),
        ("500000-files-1mb", 500_000, MIB),
        ("20-files-25000mb", 20, 25_000 * MIB),
    ],
)
def test_a_layout_is_what_its_name_says(layout, files, file_bytes):
    assert (created(layout)["files"], created(layout)["file_bytes"]) == (files, file_bytes)


@pytest.mark.parametrize("profile", ["quick", "standard", "full"])
def test_declared_many_and_few_files_have_the_same_bytes(profile):
    sets = yaml.safe_load((ROOT / "config/experiments/file_creation.yaml").read_text())["sets"]
    layouts = {name for each in sets if profile in each["profiles"] for name in each["factors"]["layout"]}
    assert len({f["files"] * f["file_bytes"] for name in layouts if "-files-" in name for f in [created(name)]}) == 1


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: created("one-0-gb"), ["file_creation.yaml", "layout", "one-0-gb"]),
        (lambda: created("one-1-gb", cache="warm"), ["file_creation.yaml", "cache", "warm"]),
        (lambda: created("one-256-gb", size=100 * GIB), ["one-256-gb", "does not fit", "image_size"]),
        (lambda: created("20-files"), ["layout", "20-files", "5000-files-1mb"]),
        (lambda: families.factors("file_creation", {"cache": "direct"}, {}, GIB), ["layout"]),
        (lambda: families.factors("file_creation", {"layout": "one-1-gb"}, {}, GIB), ["cache"]),
        (
            lambda: families.factors("file_creation", {"layout": "one-1-gb", "cache": "direct"}, {"single": 1}, GIB),
            ["families.file_creation.scale.single"],
        ),
        (
            lambda: families.factors(
                "file_creation",
                {"layout": "one-1-gb", "cache": "direct", "speed": "x"},
                {},
                2 * GIB,
            ),
            ["speed"],
        ),
        (
            lambda: families.factors("storage_profile", {"cache": "direct"}, PROFILE, GIB),
            ["storage_profile.yaml", "cache"],
        ),
        (lambda: families.factors("storage_profile", {}, PROFILE | {"bonnie_files": 5}, GIB), ["bonnie_files"]),
        (lambda: families.factors("storage_profile", {}, PROFILE | {"file_size": 5000}, GIB), ["file_size", "MiB"]),
        (lambda: families.factors("storage_profile", {}, PROFILE, 32 * MIB), ["does not fit", "image_size"]),
        (lambda: families.factors("storage_profile", {}, {}, GIB), ["families.storage_profile.scale"]),
    ],
)
def test_what_is_not_known_or_does_not_fit_is_named(call, named):
    with pytest.raises(UserError) as error:
        call()
    assert all(word in str(error.value) for word in named), str(error.value)


def test_a_random_load_may_meet_itself_and_no_other():
    job = {"jobname": "rnd4k_q32t16_write", "write": {"io_bytes": 1024 * MIB}}
    assert storage_profile._moved(job, "write", 2 * GIB) == 1023 * MIB  # 2 MiB of 2 GiB in flight
    for name in ("seq1m_q8t1_write", "rnd4k_q1t1_write"):
        assert storage_profile._moved(job | {"jobname": name}, "write", 2 * GIB) >= 1023.9 * MIB
