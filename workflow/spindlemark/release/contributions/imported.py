"""`data/joined/`: the bundles that this project has taken, one file each, never changed."""

import json
from pathlib import Path

from spindlemark.analysis.findings.model import Findings
from spindlemark.core import atomic_write, paths
from spindlemark.core.record import Record
from spindlemark.release.contributions import archive, checks
from spindlemark.release.contributions.archive import Bundle
from spindlemark.release.contributions.replication_model import Heard

Key = tuple[str, int, str]


def files(folder: Path | None = None) -> list[Path]:
    """Every bundle of the project, in the order of their names; raises UserError for a link."""
    found = sorted((folder or paths.JOINED).glob("*.zip"))
    for path in found:
        if path.is_symlink():
            raise archive.refusal(path, "is a link")
    return found


def checked(path: Path, relative_width: float, folder: Path | None = None) -> tuple[Bundle, Heard]:
    """A bundle that can be taken, and what it says; raises UserError naming the first thing that speaks against it."""
    if path.is_symlink():
        raise archive.refusal(path, "is a link")
    found, records = checks.read(path)
    home = folder or paths.JOINED
    if path.resolve().parent == home.resolve() and path.name != found.name:
        raise found.refuse(f"is called {path.name}; its content is called {found.name}")
    own = {_key(json.loads(line)) for line in found.lines}
    for other in files(home):
        if other.name != found.name and (twice := own & _keys(other)):
            raise found.refuse(f"{len(twice)} of its {len(own)} repetitions are in {other.name} already")
    return found, heard(found, records, checks.findings(found, records, relative_width))


def take(found: Bundle, folder: Path | None = None) -> bool:
    """Put the bundle's bytes below its own name, whole or not at all; returns False where it is there already."""
    home = folder or paths.JOINED
    target = home / found.name
    if target.exists() and target.read_bytes() == found.content:
        return False
    with atomic_write.partial(target) as growing:
        growing.write_bytes(found.content)
    return True


def heard(found: Bundle, records: list[Record], findings: Findings) -> Heard:
    """What a bundle says, with what its manifest and its records tell of themselves."""
    commits = {str(record.environment.get("project.commit") or "") for record in records}
    return Heard(
        file=found.name,
        sha256=found.sha256,
        bytes=len(found.content),
        machine=found.about.machine,
        sessions=found.about.sessions,
        records=len(records),
        succeeded=sum(record.status == "ok" for record in records),
        first=min(record.started_at for record in records).date(),
        last=max(record.finished_at for record in records).date(),
        commits=sorted(commits - {""}),
        findings=findings,
    )


def _keys(path: Path) -> set[Key]:
    return {_key(json.loads(line)) for line in archive.read(path).lines}


def _key(record: dict) -> Key:
    return record["identity"], record["repetition"], record["started_at"]
