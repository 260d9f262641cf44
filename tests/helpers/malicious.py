"""A valid contribution, its parts, and lines that must be rejected, each with the reason."""

import copy
import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

from spindlemark.release.contributions.archive import MANIFEST, RECORDS

REGULAR = 0o100644 << 16
HTML = "<img src=x onerror=alert(1)>"
Records = list[dict[str, Any]]


def line(record: dict[str, Any]) -> str:
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def manifest(text: bytes, machine: dict, sessions: list[str], /, **changed: Any) -> bytes:
    about = {
        "bundle_format": 1,
        "licence": "CC-BY-4.0",
        "machine": machine,
        "sessions": sessions,
        "records": text.count(b"\n"),
        "bytes": len(text),
        "sha256": hashlib.sha256(text).hexdigest(),
    }
    return f"{json.dumps(about | changed, indent=1, ensure_ascii=False)}\n".encode()


def entry(name: str, mode: int = REGULAR, **fields: Any) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr = 3, mode
    for key, value in fields.items():
        setattr(info, key, value)
    return info


def archive(
    *entries: tuple[zipfile.ZipInfo | str, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b""
) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as packed:
        for info, content in entries:
            packed.writestr(entry(info) if isinstance(info, str) else info, content, method)
        packed.comment = comment
    return output.getvalue()


class Good:
    """A valid contribution, and ways to spoil it."""

    def __init__(self, records: Records, machine: dict, sessions: list[str]) -> None:
        self.records, self.machine, self.sessions = records, machine, sessions

    def text(self, records: Records | None = None) -> bytes:
        return "".join(f"{line(r)}\n" for r in (self.records if records is None else records)).encode()

    def manifest(self, text: bytes | None = None, **changed: Any) -> bytes:
        return manifest(self.text() if text is None else text, self.machine, self.sessions, **changed)

    def bytes(self, text: bytes | None = None, **changed: Any) -> bytes:
        text = self.text() if text is None else text
        return archive((MANIFEST, self.manifest(text, **changed)), (RECORDS, text))

    def changed(self, change: Callable[[Records], Any]) -> bytes:
        """The bundle with its records changed, and all that depends on them: the forger is no fool."""
        records = copy.deepcopy(self.records)
        change(records)
        return self.bytes(self.text(records))


def texts(good: Good) -> dict[str, tuple[bytes, str]]:
    """Lines that are no records, or not written as records are."""
    text = good.text()
    first = text.split(b"\n")[0]

    def attached(value: bytes) -> bytes:
        assert b'"attachments":{}' in text
        return good.bytes(text.replace(b'"attachments":{}', b'"attachments":{"a":' + value + b"}", 1))

    twice = first.replace(b'"repetition":1', b'"repetition":7,"repetition":1', 1)
    return {
        "NaN": (good.bytes(text.replace(b'"seconds":', b'"seconds":NaN,"x":', 1)), "line 1"),
        "NaN in an attachment": (attached(b"NaN"), "is not written as canonical JSON"),
        "infinity by exponent": (attached(b"1e999"), "is not written as canonical JSON"),
        "number of ten thousand digits": (attached(b"9" * 10_000), "number out of range"),
        "number of 3.9 million digits": (attached(b"9" * 3_900_000), "number out of range"),
        "fraction of a million digits": (attached(b"0." + b"1" * 1_000_000), "is not written as canonical JSON"),
        "number of 64 bits": (attached(b"18446744073709551616"), "is not a plausible number"),
        "negative zero": (attached(b"-0"), "is not written as canonical JSON"),
        "number as a text": (good.bytes(text.replace(b'"repetition":1,', b'"repetition":"1",', 1)), "canonical JSON"),
        "number as a truth": (good.bytes(text.replace(b'"repetition":1,', b'"repetition":true,', 1)), "canonical JSON"),
        "key twice in an attachment": (attached(b'{"b":1,"b":2}'), "is not written as canonical JSON"),
        "escaped letter": (attached(b'"\\u0041"'), "is not written as canonical JSON"),
        "NUL in a key": (attached(b'{"\\u0000":1}'), "is not a name"),
        "BOM": (good.bytes(b"\xef\xbb\xbf" + text), "line 1"),
        "overlong UTF-8": (attached(b'"\xc0\xaf"'), "is not UTF-8"),
        "carriage returns": (good.bytes(text.replace(b"\n", b"\r\n")), "is not written as canonical JSON"),
        "only brackets": (good.bytes(b"[" * 100_000 + b"\n"), "is nested deeper than 12 levels"),
        "only quotation marks": (good.bytes(b'"' * 4_000_000 + b"\n"), "trailing characters"),
        "only backslashes": (good.bytes(b'"' + b"\\" * 4_000_000 + b"\n"), "EOF while parsing"),
        "key twice in a record": (good.bytes(text.replace(first, twice, 1)), "not written as"),
        "white space": (good.bytes(text.replace(b'":', b'": ', 1)), "not written as"),
        "no JSON": (good.bytes(b"#!/bin/sh\n"), "line 1"),
        "no record": (good.bytes(b"[]\n"), "line 1"),
        "no UTF-8": (good.bytes(b"\xff\xfe\n"), "is not UTF-8"),
        "half a surrogate": (attached(b'"\\ud800"'), "line 1: the file: Invalid JSON"),
        "last line cut": (good.bytes(text[:-1], records=text.count(b"\n")), "complete lines"),
        "one line too long": (good.bytes(b'"' + b"x" * (5 << 20) + b'"\n'), "4194304 is the most"),
        "more records than it says": (good.bytes(records=1), "complete lines"),
        "other text than it says": (good.bytes(sha256="0" * 64), "SHA-256 differ"),
        "other size than it says": (good.bytes(bytes=len(text) - 1), "records.jsonl has more than"),
        "newer bundle": (good.bytes(bundle_format=2), "this program reads 1"),
        "licence of its own": (good.bytes(licence="all rights reserved"), "licence"),
        "key of its own in the manifest": (good.bytes(script=HTML), "script: Extra inputs"),
        "machine of somebody else": (good.bytes(machine=good.machine | {"host": "0" * 12}), "the contribution is of"),
        "machine with HTML": (good.bytes(machine=good.machine | {"cpu": HTML}), "was measured on"),
        "machine with a path": (good.bytes(machine=good.machine | {"host": "../../../etc"}), "machine.host"),
        "sessions of its own": (good.bytes(sessions=["2026-11-23-aaaa"]), "sessions: differ from those"),
    }
