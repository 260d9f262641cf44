"""A contribution: the records of one machine in one archive. The same records give the same bytes.

A ZIP of exactly two entries, `manifest.json` and `records.jsonl`: a record per line, in canonical JSON, in the order of
their paths. It is read in memory in parts of bounded size and never unpacked to a disk.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from spindlemark.core import migrations, safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.limits import cut, first_error
from spindlemark.core.record import Closed, Record
from spindlemark.release.contributions.machine import Machine, of

CONTRIBUTION_FORMAT = 1
MANIFEST, RECORDS = "manifest.json", "records.jsonl"
LICENCE = "CC-BY-4.0"
MOST_ARCHIVE = 32 << 20  # bytes of a file: sixteen times the largest session so far
MOST_MANIFEST = 64 << 10
MOST_TEXT = 256 << 20  # bytes of all records, unpacked
MOST_LINE = 4 << 20  # bytes of one record: forty times the largest so far
MOST_RECORDS = 20_000
REFUSED = "nothing in it was used; ask its author to export it again with: ./spindlemark export"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a ZIP file can store
_REGULAR = 0o100644 << 16


class Manifest(Closed):
    """The manifest: a summary of the records, and their checksum."""

    bundle_format: int = CONTRIBUTION_FORMAT
    licence: str = LICENCE
    machine: Machine
    sessions: list[str] = Field(max_length=1000, description="empty text: from before sessions were recorded")
    records: int = Field(ge=1, le=MOST_RECORDS)
    bytes: int = Field(ge=1, le=MOST_TEXT, description="of records.jsonl")
    sha256: str = Field(pattern="^[0-9a-f]{64}$", description="of records.jsonl")


@dataclass(frozen=True)
class Contribution:
    """A contribution that was read: its manifest, the text of each record, and the bytes of the file."""

    path: Path
    about: Manifest
    lines: list[str]
    content: bytes

    @property
    def sha256(self) -> str:
        """SHA-256 of the whole file, in hex."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def name(self) -> str:
        """The file name that follows from the content."""
        return name(self.about)

    def refuse(self, problem: str) -> UserError:
        """Return the error that rejects the whole file."""
        return refusal(self.path, problem)


def name(about: Manifest) -> str:
    """Return the name of a contribution's file: its machine and the first digits of its records' checksum."""
    return f"{about.machine.slug}-{about.sha256[:12]}.zip"


def refusal(path: Path, problem: str) -> UserError:
    """Return the error that rejects a file, with the reason."""
    return UserError(f"{path}: refused: {problem}", REFUSED)


def place(record: Record) -> tuple[str, str, str, str, int]:
    """Return the parts of a record's path, which is unique in a contribution."""
    e = record.experiment
    return e.testbed, e.family, e.experiment, record.identity, record.repetition


def line(record: Record) -> str:
    """Return a record as canonical JSON on one line; raises ValueError for NaN and infinity."""
    return canonical_line(record.model_dump(mode="json"))


def canonical_line(content: Any) -> str:
    """Return JSON on one line: keys sorted, no white space, numbers of unchanged type."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def pack(records: Sequence[Record]) -> tuple[Manifest, bytes]:
    """Return manifest and bytes of a contribution. `records` must not be empty, and all of one machine."""
    ordered = sorted(records, key=place)
    text = "".join(f"{line(record)}\n" for record in ordered).encode()
    about = Manifest(
        machine=of(ordered[0].experiment.fingerprint),
        sessions=sorted({migrations.session(r.environment) for r in ordered}),
        records=len(ordered),
        bytes=len(text),
        sha256=hashlib.sha256(text).hexdigest(),
    )
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        for entry, content in ((MANIFEST, f"{about.model_dump_json(indent=1)}\n".encode()), (RECORDS, text)):
            info = zipfile.ZipInfo(entry, _EPOCH)
            info.external_attr, info.create_system = _REGULAR, 3
            archive.writestr(info, content, zipfile.ZIP_DEFLATED, 9)
    return about, output.getvalue()


def read(path: Path) -> Contribution:
    """Read the two entries without checking the records; raises UserError if the file is not a contribution."""
    content = safe_read.read(path, MOST_ARCHIVE, "name the file of a contribution, which ./spindlemark export writes")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _require_form(path, archive)
            about = _manifest(path, _entry(path, archive, MANIFEST, MOST_MANIFEST))
            text = _entry(path, archive, RECORDS, about.bytes)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise refusal(path, f"is not a complete ZIP archive: {cut(str(error))}") from None
    if len(text) != about.bytes or hashlib.sha256(text).hexdigest() != about.sha256:
        raise refusal(path, f"{RECORDS} does not match {MANIFEST}: its size or SHA-256 differs")
    return Contribution(path, about, _lines(path, text, about.records), content)


def _require_form(path: Path, archive: zipfile.ZipFile) -> None:
    """Require two regular, deflated, unencrypted entries of known names, and no bytes before, between or after them."""
    found = archive.infolist()
    names = [info.orig_filename for info in found]
    if names != [MANIFEST, RECORDS]:
        listed = cut(", ".join(map(repr, names)) or "nothing")
        raise refusal(path, f"must contain only {MANIFEST} and {RECORDS}, but contains {listed}")
    for info in found:
        if info.external_attr != _REGULAR or info.flag_bits & ~0x800 or info.compress_type != zipfile.ZIP_DEFLATED:
            raise refusal(path, f"{info.filename} is not a regular, unencrypted file compressed by deflate")
        if info.extra or info.comment:
            raise refusal(path, f"{info.filename} has extra fields or a comment")
    places = [found[0].header_offset, *(_end(info) for info in found)]
    if archive.comment or places != [0, found[1].header_offset, archive.start_dir]:
        raise refusal(path, "has bytes that belong to neither entry")


def _end(info: zipfile.ZipInfo) -> int:
    """Return the offset at which an entry ends if its local header has no extra field."""
    return info.header_offset + 30 + len(info.orig_filename) + info.compress_size


def _entry(path: Path, archive: zipfile.ZipFile, wanted: str, most: int) -> bytes:
    """Read at most `most` bytes of an entry, regardless of its declared size."""
    if archive.getinfo(wanted).file_size > most:
        raise refusal(path, f"{wanted} has more than {most} bytes")
    with archive.open(wanted) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise refusal(path, f"{wanted} has more than {most} bytes")
    return content


def _manifest(path: Path, content: bytes) -> Manifest:
    try:
        about = Manifest.model_validate_json(content)
    except ValidationError as error:
        key, wrong = first_error(error)
        raise refusal(path, f"{MANIFEST}: {key}: {wrong}") from None
    if about.bundle_format != CONTRIBUTION_FORMAT:
        raise refusal(
            path, f"{MANIFEST}: bundle_format: is {about.bundle_format}; this program reads {CONTRIBUTION_FORMAT}"
        )
    if about.licence != LICENCE:
        raise refusal(path, f"{MANIFEST}: licence: is {about.licence!r}; contributions need {LICENCE}")
    return about


def _lines(path: Path, text: bytes, count: int) -> list[str]:
    lines = text.split(b"\n")
    if lines.pop() or len(lines) != count:
        raise refusal(path, f"{RECORDS} has {len(lines)} complete lines, but {MANIFEST} declares {count} records")
    longest = max(map(len, lines))
    if longest > MOST_LINE:
        raise refusal(path, f"{RECORDS}: a record has {longest} bytes; {MOST_LINE} is the most")
    try:
        return [each.decode() for each in lines]
    except UnicodeDecodeError as error:
        raise refusal(path, f"{RECORDS}: is not UTF-8: {error.reason}") from None
