"""A contribution: the records of one machine in one archive. The same records give the same bytes.

A ZIP of exactly two entries, `manifest.json` and `records.jsonl`: a record per line, in canonical JSON, in the order of
their paths. It is read in memory in parts of bounded size and never unpacked to a disk.
"""

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from spindlemark.core import migrations, safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.limits import first_error
from spindlemark.core.one_line import cut
from spindlemark.core.record import Closed, Record
from spindlemark.release.contributions import exact_zip, text_limits
from spindlemark.release.contributions.exact_zip import Entry
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
    """Return manifest and bytes of a contribution. `records` must not be empty, and all of one machine.

    Raises UserError if they have more values than an import accepts.
    """
    ordered = sorted(records, key=place)
    lines = [line(record) for record in ordered]
    if many := text_limits.total_problem(sum(text_limits.shape_problem(each)[0] for each in lines)):
        raise UserError(f"the contribution {many}", "export one session at a time with --session")
    text = "".join(f"{each}\n" for each in lines).encode()
    about = Manifest(
        machine=of(ordered[0].experiment.fingerprint),
        sessions=sorted({migrations.session(r.environment) for r in ordered}),
        records=len(ordered),
        bytes=len(text),
        sha256=hashlib.sha256(text).hexdigest(),
    )
    entries = exact_zip.deflate(MANIFEST, _manifest_bytes(about)), exact_zip.deflate(RECORDS, text)
    return about, exact_zip.assemble(entries)


def read(path: Path) -> Contribution:
    """Read the two entries without checking the records; raises UserError if the file is not a contribution."""
    content = safe_read.read(path, MOST_ARCHIVE, "name the file of a contribution, which ./spindlemark export writes")
    manifest, records = _entries(path, content)
    about = _manifest(path, _content(path, manifest, MOST_MANIFEST))
    text = _content(path, records, about.bytes)
    if len(text) != about.bytes or hashlib.sha256(text).hexdigest() != about.sha256:
        raise refusal(path, f"{RECORDS} does not match {MANIFEST}: its size or SHA-256 differs")
    return Contribution(path, about, _lines(path, text, about.records), content)


def _entries(path: Path, content: bytes) -> list[Entry]:
    """List the entries, and require that the archive has exactly the bytes that follow from them."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, OverflowError, ValueError, struct.error) as error:
        raise refusal(path, f"is not a complete ZIP archive: {cut(str(error))}") from None
    names = [info.orig_filename for info in found]
    if names != [MANIFEST, RECORDS]:
        listed = cut(", ".join(map(repr, names)) or "nothing")
        raise refusal(path, f"must contain only {MANIFEST} and {RECORDS}, but contains {listed}")
    for info in found:
        if (info.external_attr, info.flag_bits, info.compress_type) != (exact_zip.REGULAR, 0, zipfile.ZIP_DEFLATED):
            raise refusal(path, f"{info.filename} is not a regular, unencrypted file compressed by deflate")
    entries = [_entry(content, info) for info in found]
    if any(info.extra for info in found) or content != exact_zip.assemble(entries):
        raise refusal(path, "has extra fields, a comment, or bytes that belong to neither entry")
    return entries


def _entry(content: bytes, info: zipfile.ZipInfo) -> Entry:
    begin = info.header_offset + exact_zip.HEADER_BYTES + len(info.orig_filename)
    return Entry(info.orig_filename, content[begin : begin + info.compress_size], info.CRC, info.file_size)


def _content(path: Path, entry: Entry, most: int) -> bytes:
    try:
        return exact_zip.inflate(entry, most)
    except ValueError as error:
        raise refusal(path, f"{entry.name} {error}") from None


def _manifest_bytes(about: Manifest) -> bytes:
    return f"{about.model_dump_json(indent=1)}\n".encode()


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
    if content != _manifest_bytes(about):  # such as a key twice, of which JSON readers see the last
        raise refusal(path, f"{MANIFEST}: is not written as ./spindlemark export writes it")
    return about


def _lines(path: Path, text: bytes, count: int) -> list[str]:
    complete = text.count(b"\n")  # before a list of them is made
    if not text.endswith(b"\n") or complete != count:
        raise refusal(path, f"{RECORDS} has {complete} complete lines, but {MANIFEST} declares {count} records")
    lines = text.removesuffix(b"\n").split(b"\n")
    longest = max(map(len, lines))
    if longest > MOST_LINE:
        raise refusal(path, f"{RECORDS}: a record has {longest} bytes; {MOST_LINE} is the most")
    try:
        return [each.decode() for each in lines]
    except UnicodeDecodeError as error:
        raise refusal(path, f"{RECORDS}: is not UTF-8: {error.reason}") from None
