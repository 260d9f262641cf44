"""Check the files of `config/` that only the later stages read, before hours of measuring."""

from spindlemark.analysis.findings import settings
from spindlemark.release.citation import formats as citation


def require_publishable() -> None:
    """Raise UserError, naming file and key, for a mistake in a file that only the later stages read."""
    settings.load()
    citation.load()
