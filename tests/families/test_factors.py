"""Shared factors: a family has those that it names, and what was measured before keeps its identity and its path."""

import json

import pytest

from released import records_of
from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.record import Part, Spec, join_parts, read_spec
from spindlemark.families import registry as families
from spindlemark.families import shared_factors as factors
from spindlemark.families.factors.control import CONTROL
from spindlemark.families.factors.factor import Choice
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.library import LIBRARY
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.measure import experiments

SPECS = sorted(records_of("2026.11.6").glob("*/*/*/*/spec.json"))


@pytest.fixture(scope="module")
def present() -> dict[tuple[str, str, str], Spec]:
    """Every experiment of the quick profile by testbed, family and slug."""
    found = experiments.specs(config.load(), "quick")
    return {(s.experiment.testbed, s.experiment.family, s.experiment.experiment): s for s in found}


@pytest.fixture
def family(monkeypatch):
    """Put a family into the place of another; it has what the test gives it."""

    def put(name: str = "aging", **content) -> str:
        made = Family(method=1, metrics={}, steps=lambda _: None, expected=lambda *_: (0.0, 0.0), **content)
        monkeypatch.setattr(families, "get", lambda name: made)
        return name

    return put


def choice(**chosen: str) -> Choice:
    registry = config.load()
    return Choice(chosen, registry, registry.profiles["quick"], registry.testbeds["loop"], "here.yaml")


def test_what_was_released_resolves_to_the_same_identity_and_path(present):
    """What the profile asks more or less of since, to the same filesystem and scheduler; the machine is the release's."""
    same = 0
    for path in SPECS:
        old = read_spec(path).experiment
        found = present.get((old.testbed, old.family, old.experiment))
        if found is None:  # the profile leaves it out since
            continue
        new = found.experiment
        assert new.factors.get("scheduler") == old.factors.get("scheduler")
        if "filesystem" in new.factors:
            assert without_inodes(new.factors["filesystem"]) == without_inodes(old.factors["filesystem"])
        if new.factors == old.factors:
            then = new.model_copy(update={"fingerprint": old.fingerprint, "method": old.method})
            assert then.identity() == path.parent.name
            same += 1
    assert same >= 3  # most have other sizes since


def test_without_a_control_an_experiment_is_what_it_was_before_there_were_any():
    asked = {"filesystem": "ext4", "library": "video"}
    for chosen in (choice(**asked), choice(**asked, control="none")):
        assert "control" not in factors.resolve("filesystem_lifecycle", chosen)
        assert join_parts(factors.name_parts("filesystem_lifecycle", chosen)) == "ext4--video"
        assert factors.slowdown("filesystem_lifecycle", factors.resolve("filesystem_lifecycle", chosen)) == 0


@pytest.mark.parametrize(("control", "slowdown"), [("twin", 0.0), ("slower", 0.1)])
def test_a_control_differs_in_name_and_slowdown_alone(control, slowdown):
    asked = {"filesystem": "ext4+m0", "library": "video"}
    plain = factors.resolve("filesystem_lifecycle", choice(**asked))
    chosen = choice(**asked, control=control)
    found = factors.resolve("filesystem_lifecycle", chosen)
    assert found == plain | {"control": control}
    assert join_parts(factors.name_parts("filesystem_lifecycle", chosen)) == f"ext4+m0+{control}--video"
    assert factors.slowdown("filesystem_lifecycle", found) == slowdown


def without_inodes(filesystem: dict) -> dict:
    """Some settings count the files of the library."""
    return filesystem | {"mkfs": [word for word in filesystem["mkfs"] if not word.isdigit()]}


def test_a_name_begins_with_the_configuration():
    assert (
        join_parts(
            factors.name_parts("filesystem_lifecycle", choice(library="picture", filesystem="ext4+m0", scheduler="bfq"))
        )
        == "ext4+m0@bfq--picture"
    )
    assert factors.name_parts("aging", choice(filesystem="xfs", scheduler="none")) == [Part(value="xfs")]


def test_a_family_without_shared_factors_needs_nothing_of_them(family):
    name = family()
    asked = choice(server="nginx", mtu="9000")
    resolved = factors.resolve(name, asked) | {"server": "nginx", "mtu": 9000}
    assert join_parts(factors.name_parts(name, asked)) == "nginx--9000" and resolved == {"server": "nginx", "mtu": 9000}
    assert factors.tools(name, resolved, asked.registry) == {} and factors.modules(name, resolved) == []
    assert factors.opening(name, resolved, asked.testbed) == {"scheduler": asked.testbed.scheduler}


def test_a_family_has_the_tools_and_modules_of_the_factors_that_it_names(family):
    name = family(shared=(FILESYSTEM,), tools={"fio": ("fio", "--version")})
    resolved = factors.resolve(name, choice(filesystem="xfs"))
    assert factors.tools(name, resolved, config.load()).keys() == {"xfsprogs", "fio"}
    assert factors.modules(name, resolved) == ["xfs"]
    assert json.loads(json.dumps(resolved)) == resolved


@pytest.mark.parametrize(
    ("shared", "chosen", "problem"),
    [
        ((FILESYSTEM,), {"cache": "direct"}, "here.yaml: sets: factors: filesystem: is missing"),
        ((LIBRARY,), {"cache": "direct"}, "here.yaml: sets: factors: library: is missing"),
        ((FILESYSTEM,), {"filesystem": "ext4+m0-inodes"}, "the set has no library"),
        ((SCHEDULER,), {"scheduler": "fastest"}, "no scheduler is called 'fastest'"),
        ((FILESYSTEM,), {"filesystem": "ext5"}, "no filesystem is called 'ext5'"),
        ((CONTROL,), {"control": "triplet"}, "control: 'triplet' is unknown"),
    ],
)
def test_a_factor_that_cannot_be_resolved_names_the_file(family, shared, chosen, problem):
    with pytest.raises(UserError, match=problem):
        factors.resolve(family(shared=shared), choice(**chosen))


def test_an_experiment_without_any_factor_is_refused(family):
    with pytest.raises(UserError, match="here.yaml: sets: factors: are missing"):
        factors.name_parts(family(), choice())
