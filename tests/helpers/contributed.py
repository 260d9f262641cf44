"""Contributions of released records, and what an import says about a forged one."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from malicious import Good
from released import records_of
from spindlemark.core.errors import UserError
from spindlemark.core.record import Record, read_record
from spindlemark.release.contributions import anonymise, archive, imported


def some(family: str, experiment: str, count: int = 2) -> list[Record]:
    found = sorted((records_of("2026.11.4") / "loop" / family).glob(f"{experiment}/*/rep-[12].json"))[:count]
    return [anonymise.Scrubber().record(read_record(path)) for path in found]


def good() -> Good:
    about, content = archive.pack(some("filesystem_lifecycle", "btrfs--frames"))
    with_text = json.loads(about.model_dump_json())
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        records = [json.loads(each) for each in packed.read(archive.RECORDS).decode().splitlines()]
    return Good(records, with_text["machine"], with_text["sessions"])


def refused(tmp_path: Path, content: bytes) -> str:
    file = tmp_path / "given.zip"
    file.write_bytes(content)
    home = tmp_path / "joined"
    with pytest.raises(UserError) as error:
        imported.checked(file, 0.2, home)
    assert not home.exists()
    return error.value.problem
