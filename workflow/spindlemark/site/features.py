"""What the compared filesystems can do, by which one chooses where their speed does not decide."""

from collections.abc import Mapping
from typing import Any

from spindlemark.analysis.findings.model import Group
from spindlemark.config.models import Features, Filesystem

Page = dict[str, Any]


def table(group: Group, filesystems: Mapping[str, Filesystem]) -> Page | None:
    """A row for each feature, with a cell for each candidate; None unless at least two candidates declare theirs."""
    names = [name for name in group.candidates or group.configurations if name in filesystems]
    declared = {name: found for name in names if (found := filesystems[name].features)}
    if len(declared) < 2:
        return None
    rows = [
        {
            "title": str(field.title),
            "cells": [getattr(found, key).model_dump() for found in declared.values()],
        }
        for key, field in Features.model_fields.items()
    ]
    return {"columns": [filesystems[name].title for name in declared], "rows": rows}
