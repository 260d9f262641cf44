"""The factors of file_creation and storage_profile: what a profile makes of the source's sizes."""

import pytest

from spindlemark.core.errors import UserError
from spindlemark.families import registry as families
from spindlemark.families.file_creation import family as file_creation
from spindlemark.families.storage_profile import family as storage_profile

MIB, GIB = 2**20, 2**30
PROFILE = {"file_size": "16 MiB", "seconds": 0.5, "bonnie_size": "32 MiB", "bonnie_char_size": 0, "bonnie_files": 1024}


def created(layout, size=698 * GIB, single=1, many=1, cache="direct"):
    return families.factors("file_creation", {"layout": layout, "cache": cache}, {"single": single, "many": many}, size)


def test_full_scale_has_the_sizes_of_the_source():
    sizes = {layout: (f["files"], f["file_bytes"]) for layout in file_creation.SINGLE for f in [created(layout)]}
    assert sizes == {f"one-{n}-gb": (1, n * GIB) for n in (1, 2, 4, 8, 16, 32, 64, 128, 256)}
    assert (created("500000-files-1mb")["files"], created("500000-files-1mb")["file_bytes"]) == (500_000, MIB)
    assert (created("20-files-large")["files"], created("20-files-large")["file_bytes"]) == (20, 25_000 * MIB)


@pytest.mark.parametrize("many", [1, 0.37, 0.008, 0.001, 1e-9])
def test_many_and_few_files_have_the_same_bytes(many):
    small, large = created("500000-files-1mb", many=many), created("20-files-large", many=many)
    assert small["files"] * small["file_bytes"] == large["files"] * large["file_bytes"] > 0


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: created("one-3-gb"), ["file_creation.yaml", "layout", "one-3-gb"]),
        (lambda: created("one-1-gb", cache="warm"), ["file_creation.yaml", "cache", "warm"]),
        (lambda: created("one-256-gb", size=100 * GIB), ["one-256-gb", "does not fit", "image_size"]),
        (lambda: created("one-1-gb", single=0), ["families.file_creation.scale.single"]),
        (lambda: families.factors("file_creation", {"layout": "one-1-gb"}, {"single": 1, "many": 1}, GIB), ["cache"]),
        (
            lambda: families.factors(
                "file_creation",
                {"layout": "one-1-gb", "cache": "direct", "speed": "x"},
                {"single": 1, "many": 1},
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
