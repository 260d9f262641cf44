"""Archives that must be rejected, each with the reason, whatever is in them."""

import stat
import struct
import zipfile

from malicious import HTML, Good, archive, entry
from spindlemark.release.contributions.archive import MANIFEST, RECORDS


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
