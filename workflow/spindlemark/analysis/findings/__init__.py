"""Findings: statistics, tiers, recommendations and every sentence about results. Nothing is computed after this."""

from pathlib import Path

from spindlemark.analysis.findings.model import Findings
from spindlemark.analysis.findings.settings import Recommendations, load

__all__ = ["Findings", "Recommendations", "compute", "load"]


def compute(database: Path, declared: Recommendations, relative_width: float) -> Findings:
    """Compute every statement about the results in `database`; see `findings.groups.compute`."""
    from spindlemark.analysis.findings import (
        groups,  # here: scipy takes a second to load, and most commands need none of it
    )

    return groups.compute(database, declared, relative_width)
