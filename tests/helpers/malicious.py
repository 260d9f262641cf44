"""Contributions that must be rejected, each with the reason."""

import copy
import hashlib
import io
import json
import stat
import struct
import zipfile
from collections.abc import Callable
from typing import Any

from spindlemark.core.migrations import name_fields
from spindlemark.core.record import NAMES, canonical
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


def rehashed(record: dict[str, Any]) -> None:
    """Make the identity the hash of what the record says, whether or not that may be said."""
    hashed = {key: value for key, value in record["experiment"].items() if key not in NAMES}
    record["identity"] = hashlib.sha256(canonical(hashed).encode()).hexdigest()[:12]


def _set(path: str, value: Any, rehash: bool = False) -> Callable[[Records], None]:
    """Set one value of the first record, as experiment.factors.filesystem.name; numbers are places in lists."""

    def change(records: Records) -> None:
        at: Any = records[0]
        *above, last = path.split("/")
        for key in above:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[int(last) if isinstance(at, list) else last] = value
        if rehash:
            for record in records[:1]:
                rehashed(record)

    return change


def _deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def _measured(metric: str, /, **changed: Any) -> Callable[[Records], None]:
    def change(records: Records) -> None:
        next(m for m in records[0]["measurements"] if m["metric"] == metric).update(changed)

    return change


def _gate(gate: str, /, **changed: Any) -> Callable[[Records], None]:
    def change(records: Records) -> None:
        next(g for g in records[0]["validity"] if g["gate"] == gate).update(changed)

    return change


def _without(part: str, kept: Callable[[dict], bool]) -> Callable[[Records], None]:
    def change(records: Records) -> None:
        records[0][part] = [each for each in records[0][part] if kept(each)]

    return change


def _all(path: str, value: Any) -> Callable[[Records], None]:
    """The same change in every record, with its identity made anew, in the order of the new places."""

    def change(records: Records) -> None:
        for at in range(len(records)):
            one = [records[at]]
            _set(path, value, rehash=True)(one)

    return change


def _renamed(slug: str) -> Callable[[Records], None]:
    """Another name in every record, also in its parts."""

    def change(records: Records) -> None:
        for record in records:
            record["experiment"] |= {"experiment": slug} | name_fields(slug)

    return change


# name -> (change of the records, words of the reason)
RECORDS_OF: dict[str, tuple[Callable[[Records], Any], str]] = {
    "foreign identity": (_set("identity", "0123456789ab"), "is not the hash of its experiment"),
    "identity of another experiment": (_set("experiment/factors/filesystem/mkfs", ["mkfs.xfs"]), "is not the hash"),
    "identity that is a path": (_set("identity", "../../etc/x"), "is not the hash of its experiment"),
    "testbed that is a path": (_all("experiment/testbed", "../../x"), "experiment.testbed: is not a valid name"),
    "slug that is a path": (_all("experiment/experiment", "../--frames"), "experiment.experiment: is not a valid name"),
    "slug with HTML": (
        _all("experiment/experiment", f"btrfs--frames{HTML}"),
        "experiment.experiment: is not a valid name",
    ),
    "family that is no family": (_all("experiment/family", "os.system"), "family os.system: there is no family"),
    "method of the future": (_all("experiment/method", 99), "method 99 of"),
    "slug that lies about the filesystem": (
        _all("experiment/experiment", "xfs--frames"),
        "does not consist of its configuration and workload",
    ),
    "name that lies about the filesystem": (
        _renamed("xfs--frames"),
        "filesystem has another name",
    ),
    "name that lies about the library": (
        _renamed("btrfs--picture"),
        "library has another name",
    ),
    "HTML in a factor's value": (_all("experiment/factors/scheduler", HTML), "factors.scheduler: has markup"),
    "HTML in a factor's name": (_all(f"experiment/factors/{HTML}".replace("</", "<"), "1"), "is not a name of a fact"),
    "HTML in a variant": (_all("experiment/factors/filesystem/variant", HTML), "filesystem.variant: has markup"),
    "HTML in the processor": (_all("experiment/fingerprint/machine/cpu", HTML), "fingerprint.machine.cpu: has markup"),
    "HTML in the kernel": (_all("experiment/fingerprint/kernel", HTML), "fingerprint.kernel: has markup"),
    "HTML in the disk's model": (
        _all("experiment/fingerprint/device/model", HTML),
        "fingerprint.device.model: has markup",
    ),
    "HTML in the environment": (_set("environment/cpu.model", HTML), "environment.cpu.model: has markup"),
    "HTML in a name of the environment": (_set(f"environment/{HTML}", "1"), "is not a name of a fact"),
    "HTML in a step": (_set("commands/0/step", HTML), "commands.0.step"),
    "HTML in a gate's unit": (_set("validity/0/unit", HTML), "validity.0.unit: has markup"),
    "HTML in a series' name": (_set("series/0/name", HTML), "series.0.name"),
    "HTML in a unit": (_measured("copy_seconds", unit=HTML), "copy_seconds is in"),
    "HTML in a metric": (_measured("copy_seconds", metric=HTML), "is not a metric of filesystem_lifecycle"),
    "text that turns round": (_all("experiment/fingerprint/kernel", "6.1\u202egnp.exe"), "does not print"),
    "text that commands the terminal": (_set("environment/cpu.model", "\x1b[2J"), "does not print"),
    "session that is a script": (_set("environment/session.id", "javascript:alert(1)"), "is not a session"),
    "wrong unit": (_measured("copy_seconds", unit="ms"), "copy_seconds is in 'ms'"),
    "wrong direction": (_measured("copy_seconds", better="higher"), "better higher"),
    "metric of another family": (
        _measured("format_seconds", metric="psnr_db", unit="dB", better="higher"),
        "is not a metric of",
    ),
    "metric twice": (lambda r: r[0]["measurements"].append(dict(r[0]["measurements"][0])), "occurs twice"),
    "negative time": (_measured("mount_seconds", value=-1.0), "mount_seconds is negative"),
    "huge number": (_measured("format_device_bytes", value=1e300), "is not a plausible number"),
    "huge whole number": (_measured("format_device_bytes", value=10**30), "not written as"),
    "time longer than the repetition": (_measured("copy_sync_seconds", value=1e6), "in a repetition of"),
    "faster copy than its commands": (
        _measured("copy_seconds", value=0.001),
        "own commands, factors and output it is",
    ),
    "more throughput than its times": (
        _measured("copy_bytes_per_second", value=9e12),
        "own commands, factors and output",
    ),
    "processor time of nobody": (_measured("copy_cpu_seconds", value=0.0), "own commands, factors and output"),
    "gate that does not hold": (_gate("cold_proof", observed=1.0), "is recorded as passed"),
    "gate with a bound of its own": (_gate("clock", bound=1e9), "it must be 0.001"),
    "gate of quiet that allows all": (_gate("quiet_machine", bound=1e9), "must be a share"),
    "gate that tells nothing": (_gate("completeness", observed=None), "lacks its observation"),
    "no gate of the clock": (_without("validity", lambda g: g["gate"] != "clock"), "lacks the gate `clock`"),
    "ok although a gate failed": (_gate("completeness", ok=False, observed=1.0), "is ok, but a gate failed"),
    "ok and nothing measured": (_set("measurements", []), "there are no measurements"),
    "failed without a reason": (_set("status", "failed"), "check unexplained_status"),
    "status of its own": (_set("status", "best"), "status:"),
    "repetition twice": (lambda r: r.insert(1, copy.deepcopy(r[0])), "occurs twice"),
    "records out of order": (lambda r: r.reverse(), "not sorted by path"),
    "host with a path": (_all("experiment/fingerprint/host", "../../x"), "fingerprint: does not identify a machine"),
    "machine that is a list": (_all("experiment/fingerprint/machine", [1]), "fingerprint: does not identify a machine"),
    "filesystem that is a list": (_all("experiment/factors/filesystem", [1]), "filesystem has another name"),
    "library without a size": (_all("experiment/factors/library", {"name": "frames"}), "cannot be computed again"),
    "two machines": (
        lambda r: (r[-1]["experiment"]["fingerprint"].update(host="0" * 12), rehashed(r[-1])),
        "was measured on",
    ),
    "measured tomorrow year": (_set("finished_at", "2099-01-01T00:00:00Z"), "not a possible time of a repetition"),
    "ends before it begins": (_set("finished_at", "2026-02-01T00:00:00Z"), "not a possible time of a repetition"),
    "key of its own": (_set("exec", "rm -rf /"), "exec: Extra inputs"),
    "newer record": (_set("record_format", 3), "newer version of this program"),
    "nested too deep": (_set("attachments/deep", _deep(40)), "nested deeper"),
    "nested for a stack": (_set("attachments/deep", _deep(400)), "line 1"),
    "too many commands": (lambda r: r[0].update(commands=r[0]["commands"] * 700), "commands: has"),
    "home of a person": (_set("commands/0/stdout", "/home/alice/film.mov"), "personal data (path of a person"),
    "address of a person": (_set("attachments/note", "alice@example.org"), "personal data (e-mail address)"),
    "hardware address": (_set("commands/0/argv", ["ip", "52:54:00:12:34:56"]), "personal data (hardware address)"),
}


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


def archives(good: Good) -> dict[str, tuple[bytes, str]]:
    """Archives that are no bundle, whatever lies in them."""
    text, about, whole = good.text(), good.manifest(), good.bytes()
    alone = "but contains"
    pair = ((MANIFEST, about), (RECORDS, text))
    link = entry(RECORDS, (stat.S_IFLNK | 0o777) << 16)
    folded = entry(RECORDS, extra=b"\xfe\xca\x04\x00evil")
    bomb = b"\0" * (300 << 20)
    return {
        "zip slip": (archive(*pair, ("../../../../etc/cron.d/x", b"x")), alone),
        "absolute path": (archive((MANIFEST, about), ("/etc/passwd", text)), alone),
        "backslashes": (archive((MANIFEST, about), ("..\\records.jsonl", text)), alone),
        "further entry": (archive(*pair, ("setup.py", b"import os")), alone),
        "entry twice": (archive(*pair, (RECORDS, text)), alone),
        "entries in another order": (archive(*reversed(pair)), alone),
        "upper case": (archive((MANIFEST.upper(), about), (RECORDS, text)), alone),
        "nothing": (archive(), "but contains nothing"),
        "symbolic link": (archive((MANIFEST, about), (link, b"/etc/passwd")), "not a regular, unencrypted file"),
        "device": (
            archive((MANIFEST, about), (entry(RECORDS, (stat.S_IFBLK | 0o600) << 16), text)),
            "not a regular, unencrypted file",
        ),
        "program": (
            archive((MANIFEST, about), (entry(RECORDS, 0o100755 << 16), text)),
            "not a regular, unencrypted file",
        ),
        "packed by bzip2": (archive(*pair, method=zipfile.ZIP_BZIP2), "not a regular, unencrypted file"),
        "packed by LZMA": (archive(*pair, method=zipfile.ZIP_LZMA), "not a regular, unencrypted file"),
        "encrypted": (_flagged(whole, 1), "not a regular, unencrypted file"),
        "extra fields": (archive((MANIFEST, about), (folded, text)), "has extra fields"),
        "comment of an entry": (
            archive((MANIFEST, about), (entry(RECORDS, comment=b"<script>"), text)),
            "has extra fields, a comment",
        ),
        "comment": (archive(*pair, comment=b"#!/bin/sh"), "neither entry"),
        "program before it": (b"#!/bin/sh\nrm -rf ~\n" + whole, "neither entry"),
        "bytes behind it": (whole + b"\0" * 70_000, "not a complete ZIP"),
        "cut": (whole[:-30], "not a complete ZIP"),
        "damaged": (whole[:200] + b"\xff" * 20 + whole[220:], ""),
        "tar": (b"ustar".ljust(10_240, b"\0"), "not a complete ZIP"),
        "page": (f"<html>{HTML}</html>".encode(), "not a complete ZIP"),
        "empty": (b"", "not a complete ZIP"),
        "bomb": (archive((MANIFEST, good.manifest(bomb, records=1)), (RECORDS, bomb)), "bytes: Input should be less"),
        "bomb that lies about its size": (
            _sized(archive((MANIFEST, good.manifest()), (RECORDS, bomb[: 64 << 20])), len(text)),
            "",
        ),
        "bomb in the manifest": (
            archive((MANIFEST, b" " * (1 << 20) + about), (RECORDS, text)),
            "manifest.json has more than",
        ),
        "too large a file": (b"\0" * (33 << 20), "the limit is"),
    }


def _flagged(whole: bytes, flag: int) -> bytes:
    """The flags of every header changed, local and central."""
    changed = bytearray(whole)
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(sign)
        while at >= 0:
            changed[at + offset] |= flag
            at = changed.find(sign, at + 4)
    return bytes(changed)


def _sized(whole: bytes, size: int) -> bytes:
    """The last entry's size in the central directory and in its header made `size`."""
    changed = bytearray(whole)
    for sign, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        changed[changed.rfind(sign) + offset : changed.rfind(sign) + offset + 4] = struct.pack("<I", size)
    return bytes(changed)
