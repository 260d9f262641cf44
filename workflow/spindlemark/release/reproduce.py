"""Commands that measure a release again, from its own files."""

from pathlib import Path

from typing_extensions import TypedDict

from spindlemark.config import read_yaml
from spindlemark.release.citation.citation_model import Measured
from spindlemark.release.manifest import Code

FOLDER = "spindlemark"


# Only the keys that are needed here, because the declarations of older releases have other shapes.
class _Set(TypedDict, total=False):
    testbeds: list[str]
    profiles: list[str]


class _Experiments(TypedDict, total=False):
    sets: list[_Set]


class _Config(TypedDict, total=False):
    testbed: str


class _Amount(TypedDict, total=False):
    alone_minutes: float


class _Profile(TypedDict, total=False):
    families: dict[str, _Amount]


def commands(folder: Path, version: str, measured: Measured, code: Code | None) -> list[str]:
    """Return shell lines that measure the release in `folder` again, in a clone of the project."""
    place = f"data/releases/{version}"
    commit = code.commit if code else f"$(git log -1 --format=%H -- {place}/manifest.json)"
    setup = [
        f"git worktree add ../{FOLDER}-{version} {commit}",
        f"rm -r ../{FOLDER}-{version}/config && cp -r {place}/config ../{FOLDER}-{version}/",
        f"cd ../{FOLDER}-{version}",
    ]
    if measured.profiles:
        calls = [f"{name} --family {family}" for name, families in measured.profiles.items() for family in families]
    else:
        calls = [f"{measured.profile}{words}" for words in _options(folder, measured)]
    return [*setup, *(f"./spindlemark run --profile {words}" for words in calls)]


def _options(folder: Path, measured: Measured) -> list[str]:
    """Return the options of each call: those of a single testbed, and of families that run only by name."""
    sets = [
        each
        for path in sorted((folder / "config/experiments").glob("*.yaml"))
        for each in read_yaml(path, _Experiments).get("sets", [])
        if measured.profile in each.get("profiles", [measured.profile])
    ]
    own = read_yaml(folder / "config/config.yaml", _Config).get("testbed", "")
    beds = {name for each in sets for name in each.get("testbeds", [own])}
    if len(measured.testbeds) == 1 and len(beds) > 1:
        return [f" --testbed {measured.testbeds[0]}"]
    amounts = read_yaml(folder / f"config/profiles/{measured.profile}.yaml", _Profile).get("families", {})
    return ["", *(f" --family {name}" for name in measured.families if "alone_minutes" in amounts.get(name, {}))]
