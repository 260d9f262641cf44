"""File sizes and trees meet what is declared, for every library under every profile."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import truncnorm

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.families.shared import media
from spindlemark.families.shared.media.file_sizes import _truncated_normal
from spindlemark.families.shared.media.library_tree import tree

REGISTRY = config.load()
COMBINATIONS = [(library, profile) for profile in REGISTRY.profiles for library in REGISTRY.profiles[profile].libraries]


def resolved(name: str, profile: str, seed: int = 1) -> dict:
    chosen = REGISTRY.profiles[profile]
    return media.resolve(name, REGISTRY.libraries[name], chosen.libraries[name], chosen.content, seed)


def factors(**changes) -> dict:
    return {
        "name": "test",
        "files": 5,
        "directories": 2,
        "smallest": 10,
        "largest": 100,
        "total": 200,
        "shape": "lognormal",
        "content": "incompressible",
        "seed": 1,
    } | changes


def test_every_library_is_in_every_profile():
    """Other amounts of one are only in those that have time for them."""
    assert {library for library, _ in COMBINATIONS} == set(REGISTRY.libraries)
    kinds = {name for name, library in REGISTRY.libraries.items() if not library.series_of}
    assert {(name, profile) for name in kinds for profile in REGISTRY.profiles} <= set(COMBINATIONS)


@pytest.mark.parametrize(("name", "profile"), COMBINATIONS)
def test_sizes_meet_the_declaration(name, profile):
    declared, scale = REGISTRY.libraries[name], REGISTRY.profiles[profile].libraries[name]
    library = resolved(name, profile)
    sizes = media.sizes(library)
    assert sizes.dtype == np.int64
    assert len(sizes) == library["files"] == max(2, round(declared.files * scale.files))
    assert sizes.min() == library["smallest"] == max(1, round(declared.smallest * scale.size))
    assert sizes.max() == library["largest"] == round((scale.largest or declared.largest) * scale.size)
    assert int(sizes.sum()) == library["total"]
    assert sizes.mean() == pytest.approx((scale.mean or declared.mean) * scale.size, abs=1)


@pytest.mark.parametrize(("name", "profile"), COMBINATIONS)
def test_trees_have_the_declared_inodes(name, profile):
    library = resolved(name, profile)
    layout = tree(library)
    paths = layout.paths(range(library["files"]))
    assert len(set(layout.directories)) == library["directories"]
    assert len(set(paths) | set(layout.directories)) == media.needed_inodes(library)
    seen = {b""}
    for directory in layout.directories:
        assert directory.rpartition(b"/")[0] in seen, "a folder comes before its parent"
        seen.add(directory)
    assert {path.rpartition(b"/")[0] for path in paths} <= seen


def test_sizes_of_pictures_have_the_declared_form():
    logs = np.log(media.sizes(resolved("picture", "standard")))
    assert np.std(logs) == pytest.approx(1.05, abs=0.1)
    middle = media.sizes(resolved("video", "standard"))
    assert 0.9 < np.median(middle) / middle.mean() < 1.1


@pytest.mark.parametrize(("a", "b"), [(-1.0, 2.0), (-9.0, -6.5), (5.0, 11.0), (-0.1, 0.1)])
def test_quantiles_agree_with_scipy(a, b):
    chances = np.linspace(0.001, 0.999, 101)
    assert _truncated_normal(chances, a, b) == pytest.approx(truncnorm.ppf(chances, a, b), rel=1e-9, abs=1e-9)


def test_the_seed_drives_the_order_only():
    first, again, other = (media.sizes(resolved("sound", "quick", seed)) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    assert (np.sort(first) == np.sort(other)).all()


@pytest.mark.parametrize(
    ("files", "total", "expected"), [(1, 100, [100]), (2, 110, [10, 100]), (3, 150, [10, 40, 100])]
)
def test_few_files(files, total, expected):
    smallest = 100 if files == 1 else 10
    assert sorted(media.sizes(factors(files=files, total=total, smallest=smallest))) == expected


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"total": 139}, "mean"),
        ({"total": 411}, "mean"),
        ({"files": 1}, "files"),
        ({"files": 0}, "files"),
        ({"smallest": 0}, "smallest"),
        ({"smallest": 101}, "smallest"),
        ({"shape": "equal"}, "shape"),
    ],
)
def test_impossible_libraries_are_refused_by_key(changes, key):
    with pytest.raises(UserError, match=rf"config/libraries.yaml: test.{key}: .*\n.*config/profiles"):
        media.sizes(factors(**changes))


def test_a_mean_that_few_files_cannot_have_is_refused():
    declared = config.Library(
        title="t",
        description="d",
        reference="r",
        files=100,
        directories=1,
        smallest=1,
        largest=1000,
        mean=20,
        shape="beta",
    )
    assert media.resolve("test", declared, config.Scale(), "zero", 1)["total"] == 2000
    with pytest.raises(UserError, match="test.mean"):
        media.resolve("test", declared, config.Scale(files=0.03), "zero", 1)
    assert media.resolve("test", declared, config.Scale(files=0.001), "zero", 1)["total"] == 1001


@st.composite
def possible(draw):
    files = draw(st.integers(2, 400))
    smallest = draw(st.integers(1, 10**6))
    largest = draw(st.integers(smallest, 10**11))
    shape = draw(st.sampled_from(["lognormal", "beta"] + ["equal"] * (smallest == largest)))
    least, most = smallest * (files - 1) + largest, smallest + largest * (files - 1)
    return factors(
        files=files,
        smallest=smallest,
        largest=largest,
        total=draw(st.integers(least, most)),
        shape=shape,
        seed=draw(st.integers(0, 2**32)),
    )


@settings(max_examples=150, deadline=None)
@given(possible())
def test_any_possible_library_is_met_exactly(library):
    sizes = media.sizes(library)
    assert len(sizes) == library["files"]
    assert sizes.min() == library["smallest"]
    assert sizes.max() == library["largest"]
    assert int(sizes.sum()) == library["total"]


def test_a_library_that_does_not_fit_has_fewer_files_of_the_same_sizes():
    declared, scale = REGISTRY.libraries["picture"], REGISTRY.profiles["quick"].libraries["picture"]
    whole = media.resolve("picture", declared, scale, "incompressible", 1)
    half = media.resolve("picture", declared, scale, "incompressible", 1, room=whole["total"] // 2)
    assert half["files"] == pytest.approx(whole["files"] / 2, rel=0.01) and half["total"] <= whole["total"] * 0.51
    assert half["directories"] == pytest.approx(whole["directories"] / 2, rel=0.01)
    assert {key: half[key] for key in ("smallest", "largest")} == {key: whole[key] for key in ("smallest", "largest")}
    assert media.sizes(half).mean() == pytest.approx(media.sizes(whole).mean(), abs=1)
    assert media.resolve("picture", declared, scale, "incompressible", 1, room=whole["total"]) == whole


def test_less_than_a_gigabyte_of_a_library_is_not_compared():
    declared, scale = REGISTRY.libraries["picture"], REGISTRY.profiles["quick"].libraries["picture"]
    with pytest.raises(UserError, match="library picture: this machine has memory for 500000000 bytes"):
        media.resolve("picture", declared, scale, "incompressible", 1, room=500_000_000)
