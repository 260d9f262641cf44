"""Findings: statistics, tiers, recommendations and every sentence about results. Nothing is computed after this."""

from spindlemark.findings.compute import Unstable, compute, unstable
from spindlemark.findings.settings import Recommendations, load

__all__ = ["Recommendations", "Unstable", "compute", "load", "unstable"]
