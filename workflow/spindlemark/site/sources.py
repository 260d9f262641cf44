"""Inputs of the pages of one version: its records, its configuration, and the findings of other versions."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindlemark.analysis import errata
from spindlemark.analysis.findings import findings_files
from spindlemark.analysis.findings.model import Findings
from spindlemark.config import Filesystem, Library, Testbed, read_yaml
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.release import publication
from spindlemark.release.publication import Publication
from spindlemark.release.versions import order

CURRENT = "current"


@dataclass(frozen=True)
class Sources:
    """Everything that the pages of one version are made from."""

    version: str
    versions: list[dict]
    database: Path
    findings: Path
    audit: Path
    published: Path
    vega: Path
    raw: Path
    releases: Path
    joined: Path | None = None  # conclusions of other machines

    @property
    def frozen(self) -> Path | None:
        """The folder of the release, or None for unreleased results."""
        folder = self.releases / self.version
        return folder if (folder / "manifest.json").exists() else None

    @property
    def publication(self) -> Publication:
        """Where this version is published, if known."""
        return publication.read(self.version, self.releases.with_name(paths.PUBLICATIONS.name))

    @property
    def errata(self) -> Path:
        """The file of known errors in releases."""
        return self.releases.with_name(errata.FILE.name)

    @property
    def bundles(self) -> Path:
        """Folder of the contributions that `joined` lists."""
        return self.frozen / "joined" if self.frozen else paths.JOINED

    @property
    def config(self) -> Path:
        """Folder of the configuration: of a release, the one it was frozen with."""
        return self.frozen / "config" if self.frozen else paths.CONFIG

    def libraries(self) -> dict[str, Library]:
        """Read the libraries as the version declares them."""
        return read_yaml(self.config / "libraries.yaml", dict[str, Library])

    def filesystems(self) -> dict[str, Filesystem]:
        """Read the filesystems as the version declares them."""
        return read_yaml(self.config / "filesystems.yaml", dict[str, Filesystem])

    def testbeds(self) -> dict[str, Testbed]:
        """Read the testbeds as the version declares them."""
        return {path.stem: read_yaml(path, Testbed) for path in sorted((self.config / "testbeds").glob("*.yaml"))}

    def description(self, family: str) -> str:
        """Declared description of a family's experiments; "" if the version has none."""
        path = self.config / "experiments" / f"{family}.yaml"
        return str(read_yaml(path, dict[str, Any]).get("description", "")) if path.exists() else ""

    def planned(self) -> dict[str, str]:
        """Family -> its description, for each family with declared experiments."""
        return {path.stem: self.description(path.stem) for path in (self.config / "experiments").glob("*.yaml")}

    def until(self) -> list[dict]:
        """The releases that this version knows, newest first: itself and older ones; for unreleased results, all.

        Pages of a release do not mention later ones, so their bytes change only when an erratum is found.
        """
        if self.version == CURRENT:
            return self.versions
        return [v for v in self.versions if order(v["version"]) <= order(self.version)]

    def older(self) -> Iterator[tuple[str, Findings]]:
        """Yield version and findings of every older release, newest first, with one in memory at a time."""
        for v in self.until():
            if v["version"] != self.version:
                yield v["version"], findings_files.read(self.releases / v["version"] / findings_files.RELEASED)


def check(version: str, sources: Sources) -> None:
    """Raise UserError unless `version` is `current` or a listed release."""
    if version == CURRENT or (sources.frozen and version in [v["version"] for v in sources.versions]):
        return
    raise UserError(
        f"{sources.releases / version}: is not in the list of releases",
        "write the list again: python -m spindlemark.release versions --output data/build/versions.json",
    )


def read_versions(path: Path) -> list[dict]:
    """The releases, newest first: version, released (ISO date), statement, experiments, repetitions, newest."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return [{**v, "version": str(v["version"]), "released": str(v["released"])} for v in found]
    except FileNotFoundError:
        raise UserError(f"{path}: no such file", "write it: python -m spindlemark.release versions --help") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{path}: is not a list of versions: {error}", "move it away, then: ./spindlemark site"
        ) from None
