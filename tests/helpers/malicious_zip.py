"""ZIP archives with room for something else: each differs from a valid contribution only in its form."""

import struct
import unicodedata
from collections.abc import Iterator

from malicious import Good, archive, entry
from spindlemark.release.contributions.archive import MANIFEST, RECORDS

LOCAL, CENTRAL, END = b"PK\3\4", b"PK\1\2", b"PK\5\6"
EXTRA = b"\xfe\xca\x04\x00evil"
NO_ROOM = "bytes that belong to neither entry"
Cases = dict[str, tuple[bytes, str]]


def hidden(good: Good) -> Cases:
    """Bytes that no reader looks at, in each place of the format."""
    whole = good.bytes()
    second = whole.rfind(LOCAL)
    directory = whole.find(CENTRAL)
    found = {
        "after the directory": (whole + b"evil", NO_ROOM),
        "64 KiB after the directory": (whole + b"\0" * 65_000, NO_ROOM),
        "declared comment": (whole[:-2] + struct.pack("<H", 4) + b"evil", NO_ROOM),
        "between the entries": (_moved(whole, second, b"evil"), NO_ROOM),
        "before the directory": (_moved(whole, directory, b"evil"), NO_ROOM),
        "extra field of a local header": (_local_extra(whole), NO_ROOM),
        "after a compressed stream": (_longer(good, b"evil"), "is damaged"),
        "stream that does not end": (_longer(good, b"", keep=-4), "is damaged"),
    }
    for name, sign, offset in (
        ("local version", LOCAL, 4),
        ("local flags", LOCAL, 6),
        ("local time", LOCAL, 10),
        ("local date", LOCAL, 12),
        ("local checksum", LOCAL, 14),
        ("local packed size", LOCAL, 18),
        ("local size", LOCAL, 22),
        ("version that wrote it", CENTRAL, 4),
        ("version that reads it", CENTRAL, 6),
        ("UTF-8 flag", CENTRAL, 9),
        ("time", CENTRAL, 12),
        ("date", CENTRAL, 14),
        ("number of the disk", CENTRAL, 34),
        ("internal attributes", CENTRAL, 36),
        ("further entries at the end", END, 8),
    ):
        found[name] = (_flipped(whole, sign, offset), "refused: ")
    return found


def unreadable(good: Good) -> Cases:
    """Entries that the program cannot, or must not, unpack."""
    whole = good.bytes()
    wrong = bytearray(whole)
    for sign, offset in ((LOCAL, 14), (CENTRAL, 16)):
        wrong[wrong.rfind(sign) + offset] ^= 1
    return {
        "wrong checksum": (bytes(wrong), "records.jsonl is damaged"),
        "encrypted": (patched(whole, 6, 8, 1), "not a regular, unencrypted file"),
        "unknown compression": (patched(whole, 8, 10, 99), "not a regular, unencrypted file"),
        "stored": (
            archive((MANIFEST, good.manifest()), (RECORDS, good.text()), method=0),
            "not a regular, unencrypted",
        ),
        "newer version of the format": (patched(whole, 4, 6, 99), "not a complete ZIP archive: zip file version 9.9"),
        "offset before the file": (_offset(whole, 0xFFFFFF00), "refused: "),
        "directory longer than the file": (_end(whole, 12, 1 << 31), "not a complete ZIP"),
        "directory of two disks": (_end(whole, 6, 1), "refused: "),
        "both entries in one place": (_offset(whole, 0), "refused: "),
        "size of 4 GiB": (_sizes(whole, 0xFFFFFFFF), "refused: "),
    }


def names(good: Good) -> Cases:
    """Names that look like those of a contribution, or are trouble for other programs."""
    wide = "".join(chr(ord(c) + 0xFEE0) for c in "records") + ".jsonl"
    assert unicodedata.normalize("NFKC", wide) == RECORDS
    listed = {
        "full width": wide,
        "decomposed": unicodedata.normalize("NFD", "récords.jsonl"),
        "Cyrillic letter": "r\u0435cords.jsonl",
        "invisible character": "records\u200b.jsonl",
        "turned round": "\u202elnosj.sdrocer",
        "new line": "records.jsonl\n",
        "300 characters": "r" * 300,
        "folder": "records.jsonl/",
        "other drive": "C:records.jsonl",
        "current folder": "./records.jsonl",
    }
    told = "must contain only manifest.json and records.jsonl"
    found = {name: (archive((MANIFEST, good.manifest()), (text, good.text())), told) for name, text in listed.items()}
    found["NUL"] = (
        archive((MANIFEST, good.manifest()), ("records.jsonlX", good.text())).replace(b"jsonlX", b"jsonl\0"),
        told,
    )
    return found


def nested(good: Good) -> Cases:
    """Archives in archives, links, and little data that unpacks to much."""
    whole, about = good.bytes(), good.manifest()
    return {
        "archive as records": (good.bytes(whole), "complete lines"),
        "archive as a record": (good.bytes(whole.replace(b"\n", b"") + b"\n"), "records.jsonl"),
        "archive as manifest": (archive((MANIFEST, whole[: 60 << 10]), (RECORDS, good.text())), "manifest.json"),
        "archive in an archive": (archive(("contribution.zip", whole)), "but contains"),
        "archive after an archive": (whole + whole, NO_ROOM),
        "link to the manifest": (
            archive((entry(MANIFEST, 0o120777 << 16), about), (RECORDS, good.text())),
            "not a regular, unencrypted file",
        ),
        "socket": (
            archive((MANIFEST, about), (entry(RECORDS, 0o140644 << 16), good.text())),
            "not a regular, unencrypted file",
        ),
        "readable to the owner only": (
            archive((MANIFEST, about), (entry(RECORDS, 0o100600 << 16), good.text())),
            "not a regular, unencrypted file",
        ),
        "64 MB of line ends": (good.bytes(b"\n" * (64 << 20), records=20_000), "has 67108864 complete lines"),
        "one line of 64 MB": (good.bytes(b"0" * (64 << 20) + b"\n"), "4194304 is the most"),
        "manifest of blanks": (
            archive((MANIFEST, about + b" " * (60 << 10)), (RECORDS, good.text())),
            "not written as",
        ),
    }


def manifests(good: Good) -> Cases:
    """Manifests with the same meaning in other bytes."""
    about = good.manifest()

    def written(text: bytes) -> tuple[bytes, str]:
        return archive((MANIFEST, text), (RECORDS, good.text())), "manifest.json: is not written as"

    return {
        "key twice": written(about.replace(b"{\n", b'{\n "licence": "all rights reserved",\n', 1)),
        "64 KiB under a key twice": written(
            about.replace(b"{\n", b'{\n "licence": "' + b"x" * 60_000 + b'",\n', 1),
        ),
        "no white space": written(about.replace(b"\n", b"").replace(b": ", b":")),
        "escaped letters": written(about.replace(b"CC-BY", b"\\u0043C-BY")),
        "number as a fraction": written(about.replace(b'"bundle_format": 1,', b'"bundle_format": 1.0,')),
        "number as a text": written(about.replace(b'"bundle_format": 1,', b'"bundle_format": "1",')),
        "without a default": written(about.replace(b' "bundle_format": 1,\n', b"")),
        "no line end": written(about[:-1]),
        "carriage returns": written(about.replace(b"\n", b"\r\n")),
    }


def _moved(whole: bytes, at: int, added: bytes) -> bytes:
    """Insert bytes, and change the offsets that follow."""
    changed = bytearray(whole[:at] + added + whole[at:])
    for place in _signs(changed, CENTRAL):
        _add(changed, place + 42, at, len(added))
    _add(changed, changed.rfind(END) + 16, at, len(added))
    return bytes(changed)


def _add(changed: bytearray, place: int, least: int, more: int) -> None:
    [old] = struct.unpack_from("<L", changed, place)
    struct.pack_into("<L", changed, place, old + more if old >= least else old)


def _local_extra(whole: bytes) -> bytes:
    second = whole.rfind(LOCAL)
    changed = bytearray(_moved(whole, second + 30 + len(RECORDS), EXTRA))
    struct.pack_into("<H", changed, second + 28, len(EXTRA))
    return bytes(changed)


def _longer(good: Good, added: bytes, keep: int | None = None) -> bytes:
    """An archive of this program's form, whose last stream has bytes after its end, or lacks its end."""
    from spindlemark.release.contributions import exact_zip

    records = exact_zip.deflate(RECORDS, good.text())
    records = records._replace(stream=records.stream[:keep] + added)
    return exact_zip.assemble([exact_zip.deflate(MANIFEST, good.manifest()), records])


def _flipped(whole: bytes, sign: bytes, offset: int) -> bytes:
    changed = bytearray(whole)
    changed[changed.rfind(sign) + offset] ^= 8
    return bytes(changed)


def patched(whole: bytes, local: int, central: int, value: int) -> bytes:
    """Set a byte of every header."""
    changed = bytearray(whole)
    for sign, offset in ((LOCAL, local), (CENTRAL, central)):
        for place in _signs(changed, sign):
            changed[place + offset] = value
    return bytes(changed)


def _signs(content: bytes | bytearray, sign: bytes) -> Iterator[int]:
    at = content.find(sign)
    while at >= 0:
        yield at
        at = content.find(sign, at + 4)


def _offset(whole: bytes, value: int) -> bytes:
    changed = bytearray(whole)
    struct.pack_into("<L", changed, changed.rfind(CENTRAL) + 42, value)
    return bytes(changed)


def _sizes(whole: bytes, value: int) -> bytes:
    changed = bytearray(whole)
    struct.pack_into("<L", changed, changed.rfind(LOCAL) + 22, value)
    struct.pack_into("<L", changed, changed.rfind(CENTRAL) + 24, value)
    return bytes(changed)


def _end(whole: bytes, offset: int, value: int) -> bytes:
    changed = bytearray(whole)
    struct.pack_into("<L" if offset > 10 else "<H", changed, changed.rfind(END) + offset, value)
    return bytes(changed)
