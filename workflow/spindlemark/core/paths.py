"""Paths of the project. The layout is part of the design and is defined only here."""

import os
from pathlib import Path

ROOT = Path(os.environ.get("SPINDLEMARK_ROOT", Path(__file__).parents[3])).resolve()

# The folder of this code. ROOT is another one when a project consists only of declarations and results.
PROJECT = Path(__file__).parents[3].resolve()

CONFIG = ROOT / "config"
RAW = ROOT / "data" / "raw"
REFERENCE = ROOT / "data" / "reference"
JOINED = ROOT / "data" / "joined"
RELEASES = ROOT / "data" / "releases"
PUBLICATIONS = ROOT / "data" / "publications"
BUILD = ROOT / "data" / "build"
PLAN = BUILD / "plan.json"
RUNNING = BUILD / "running.json"
CRATES = BUILD / "crates"
SITE = BUILD / "site"
SCHEMAS = ROOT / "workflow" / "schemas"
SQL = PROJECT / "workflow" / "sql"


def folder_name(root: Path | None = None) -> str:
    """Name of the project's own folder in a shared place such as /dev/shm; a number, so that records contain no name."""
    return f"spindlemark-{(root or ROOT).stat().st_ino}"


def spec_path(testbed: str, family: str, experiment: str, identity: str) -> Path:
    """The spec file of one identity, relative to the root."""
    return Path("data/raw") / testbed / family / experiment / identity / "spec.json"


def record_path(spec: Path, repetition: int) -> Path:
    """The raw result of one repetition, next to its spec."""
    return spec.parent / f"rep-{repetition}.json"
