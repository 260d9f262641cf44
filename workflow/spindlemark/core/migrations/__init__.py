"""Formats of earlier results: the only package that knows what earlier releases wrote.

A file says its format as a number (`record_format`, `findings_format`, `manifest_format`). One function takes a file's
content from one format to the next, and is registered with `step`; several functions may share one step. Everything
else in the program knows the newest format alone. A step computes nothing: it only renames, moves and fills in.

`upgrades` has the formats and reads a file of any of them; `missing_facts` what earlier records do not say. The others have
the steps: `names` of records and plans, `verdicts` and `terms` of findings, `replications` of joined.json.
"""

from spindlemark.core.migrations import names, replications, terms, verdicts
from spindlemark.core.migrations.missing_facts import has_no_host, session, without_host
from spindlemark.core.migrations.names import name_fields
from spindlemark.core.migrations.upgrades import (
    FINDINGS_FORMAT,
    FORMATS,
    JOINED_FORMAT,
    MANIFEST_FORMAT,
    PLAN_FORMAT,
    RECORD_FORMAT,
    Kind,
    read,
    to_newest,
)

__all__ = [
    "FINDINGS_FORMAT",
    "FORMATS",
    "JOINED_FORMAT",
    "MANIFEST_FORMAT",
    "PLAN_FORMAT",
    "RECORD_FORMAT",
    "Kind",
    "has_no_host",
    "name_fields",
    "names",
    "read",
    "replications",
    "session",
    "terms",
    "to_newest",
    "verdicts",
    "without_host",
]
