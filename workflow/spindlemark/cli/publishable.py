"""Check the files of `config/` that only publishing reads, before hours of measuring."""

from spindlemark.analysis.findings import settings
from spindlemark.release.citation import formats as citation


def require_publishable() -> None:
    """Raise UserError, naming file and key, for a slip in a file that only publishing reads."""
    settings.load()
    citation.load()
