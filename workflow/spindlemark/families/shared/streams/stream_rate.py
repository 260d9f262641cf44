"""Data rates of streams: a plain number of Mbit/s, or a name from `config/rates.yaml`."""

import re
from functools import cache
from typing import Any

from pydantic import Field

from spindlemark.config import read_yaml
from spindlemark.core.errors import UserError
from spindlemark.core.limits import Name, Text
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Closed

_PLAIN = re.compile(r"(\d+(?:\.\d+)?)-mbit")
_BYTES_PER_MBIT = 125_000


class Rate(Closed):
    """A published data rate; `reference` is the source and table that print it."""

    bytes_per_second: float = Field(gt=0)
    reference: Text


def resolve(name: str, where: str) -> dict[str, Any]:
    """Name, bytes per second and origin of a rate: `25-mbit`, or a name from `config/rates.yaml` such as `mp3`.

    Raises UserError naming `where`.
    """
    if plain := _PLAIN.fullmatch(name):
        speed, origin = float(plain[1]) * _BYTES_PER_MBIT, "declared"
        if speed <= 0:
            raise UserError(f"{where}: {name} is not a rate", "write a rate above 0, for example 25-mbit")
        return {"name": name, "bytes_per_second": speed, "reference": origin}
    named = declared()
    if name not in named:
        raise UserError(
            f"{where}: no rate is called {name!r}",
            f"write a rate such as 25-mbit, or one of: {', '.join(named)}",
        )
    return {"name": name, "bytes_per_second": named[name].bytes_per_second, "reference": named[name].reference}


@cache
def declared() -> dict[str, Rate]:
    """The rates of `config/rates.yaml`; read once, since a plan of thousands of experiments asks for them."""
    return read_yaml(CONFIG / "rates.yaml", dict[Name, Rate])
