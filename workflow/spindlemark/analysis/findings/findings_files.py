"""Findings files: reading them, also those of releases, which keep the format that they were frozen with."""

from pathlib import Path

from pydantic import ValidationError

from spindlemark.analysis.findings.model import Findings
from spindlemark.core import compressed, migrations, safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.limits import first_error

RELEASED = "findings.json.zst"
MOST_BYTES = 1 << 30  # ten thousand experiments have a quarter of it
_REMEDY = "move it away, then: ./spindlemark site"


def read(path: Path) -> Findings:
    """Read a findings file of any format; raises UserError naming file and key."""
    try:
        return migrations.read(Findings, "findings", _text(path))[0]
    except ValidationError as error:
        key, wrong = first_error(error)
        raise UserError(f"{path}: {key}: {wrong}", _REMEDY) from None
    except ValueError as error:
        raise UserError(f"{path}: is not a findings file: {error}", _REMEDY) from None


def content(release: Path) -> bytes:
    """The findings of the release in this folder, as JSON."""
    return _text(release / RELEASED)


def _text(path: Path) -> bytes:
    reader = compressed if path.suffix == compressed.SUFFIX else safe_read
    return reader.read(path, MOST_BYTES, _REMEDY)
