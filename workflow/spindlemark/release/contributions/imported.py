"""`data/joined/`: the imported contributions, one file each, never changed."""

import json
import os
from contextlib import suppress
from pathlib import Path

from spindlemark.analysis.findings.model import Findings
from spindlemark.core import atomic_write, paths, safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.record import Record
from spindlemark.release.contributions import archive, checks
from spindlemark.release.contributions.archive import Contribution
from spindlemark.release.contributions.replication_model import AnalysedContribution

Key = tuple[str, int, str]


def files(folder: Path | None = None) -> list[Path]:
    """List the imported contributions, sorted by name; raises UserError for a link."""
    found = sorted((folder or paths.JOINED).glob("*.zip"))
    for path in found:
        if path.is_symlink():
            raise archive.refusal(path, "is a link")
    return found


def checked(path: Path, relative_width: float, folder: Path | None = None) -> tuple[Contribution, AnalysedContribution]:
    """Check a contribution and analyse it; raises UserError with the first problem."""
    with suppress(OSError):  # reading reports it
        if path.is_symlink():
            raise archive.refusal(path, "is a link")
    found, records = checks.read(path)
    home = folder or paths.JOINED
    if path.resolve().parent == home.resolve() and path.name != found.name:
        raise found.refuse(f"has the name {path.name}; the name that follows from its content is {found.name}")
    own = {_key(json.loads(line)) for line in found.lines}
    for other in files(home):
        if other.name != found.name and (twice := own & _keys(other)):
            raise found.refuse(f"{len(twice)} of its {len(own)} repetitions are already in {other.name}")
    _is_there(found, home)
    return found, analysed(found, records, checks.findings(found, records, relative_width))


def take(found: Contribution, folder: Path | None = None) -> bool:
    """Write the contribution under the name of its content, atomically; returns False if it is already there.

    Raises UserError if another file has that name.
    """
    home = folder or paths.JOINED
    if _is_there(found, home):
        return False
    with atomic_write.partial(home / found.name) as growing:
        growing.write_bytes(found.content)
    return True


def _is_there(found: Contribution, home: Path) -> bool:
    """Whether the contribution is imported; raises UserError if a file with other bytes has its name."""
    target = home / found.name
    if not os.path.lexists(target):
        return False
    if safe_read.read(target, archive.MOST_ARCHIVE, "move it away") != found.content:
        raise UserError(
            f"{found.path}: refused: {target} has the same records in a file of other bytes",
            "keep the imported file: an imported contribution never changes",
        )
    return True


def analysed(found: Contribution, records: list[Record], findings: Findings) -> AnalysedContribution:
    """Combine the findings of a contribution with facts from its manifest and records."""
    commits = {str(record.environment.get("project.commit") or "") for record in records}
    return AnalysedContribution(
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
