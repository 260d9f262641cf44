"""Data rates of streams: a plain number of Mbit/s, or the medium of a published table."""

import re
from functools import cache
from typing import Any

from spindlemark.core.errors import UserError
from spindlemark.core.paths import REFERENCE

STUDY, TABLE, METRIC = "001", "table-01", "data_rate_bytes_per_second"
_PLAIN = re.compile(r"(\d+(?:\.\d+)?)-mbit")
_BYTES_PER_MBIT = 125_000


def resolve(name: str, where: str) -> dict[str, Any]:
    """Name, bytes per second and origin of a rate: `25-mbit`, or a medium of Table 1 of source 001, as `mp3`.

    The published figure is read from `data/reference/`, so it stands nowhere else. Raises UserError naming `where`.
    """
    if plain := _PLAIN.fullmatch(name):
        speed, origin = float(plain[1]) * _BYTES_PER_MBIT, "declared"
    else:
        published = _published()
        if name not in published:
            raise UserError(
                f"{where}: no rate is called {name!r}", f"write a rate as 25-mbit, or one of: {', '.join(published)}"
            )
        speed, origin = published[name], f"{STUDY}, Table 1"
    if speed <= 0:
        raise UserError(f"{where}: {name} is no rate", "write a rate above 0, as 25-mbit")
    return {"name": name, "bytes_per_second": speed, "reference": origin}


@cache
def _published() -> dict[str, float]:
    from spindlemark.analysis.studies.published_cells import (
        cells,  # here: the models of studies take half a second to load
    )

    return {
        str(placed.factors["media"]): placed.cell.value
        for placed in cells(REFERENCE / STUDY)
        if placed.cell.table_name == TABLE and placed.cell.metric == METRIC
    }
