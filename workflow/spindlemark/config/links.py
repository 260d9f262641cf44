"""Settings of a network between server and clients: syntax and meaning of their values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import StringConstraints

_BITS = {"kbit": 1_000, "mbit": 1_000_000, "gbit": 1_000_000_000}
_FIGURE = r"[0-9]{1,5}(\.[0-9]{1,3})?"
Mtu = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{2,4}$")]
Rate = Annotated[str, StringConstraints(pattern=rf"^(unlimited|{_FIGURE}-[kmg]bit)$")]
Delay = Annotated[str, StringConstraints(pattern=rf"^(none|{_FIGURE}-ms)$")]
Loss = Annotated[str, StringConstraints(pattern=r"^(none|[0-9]{1,2}(\.[0-9]{1,3})?-percent)$")]
Congestion = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,14}$")]
Offloads = Literal["on", "off"]
Energy = Literal["kernel", "on", "off"]
Mac = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{2}:){5}[0-9a-f]{2}$")]
KERNEL: Literal["kernel"] = "kernel"  # the setting of the machine
LEAST_MTU, MOST_MTU = 576, 65535


@dataclass(frozen=True)
class Conditions:
    """Conditions of a link, the same in each direction; None for no limit, delay or loss."""

    rate: int | None = None  # bits per second
    delay: float | None = None  # seconds
    jitter: float | None = None  # seconds: half the width of the uniform distribution of the delay
    loss: float | None = None  # share of the packets

    @property
    def disturbed(self) -> bool:
        """Whether packets are delayed or lost."""
        return bool(self.delay or self.jitter or self.loss)


def conditions(setting: Mapping[str, str]) -> Conditions:
    """Parse the values of link_rate, delay, jitter and loss."""
    rate = re.fullmatch(r"([0-9.]+)-([kmg]bit)", setting["link_rate"])
    return Conditions(
        round(float(rate[1]) * _BITS[rate[2]]) if rate else None,
        _figure(setting["delay"], 1000),
        _figure(setting["jitter"], 1000),
        _figure(setting["loss"], 100),
    )


def is_zero(value: str) -> bool:
    """Whether a value is a number equal to 0."""
    return value[0].isdigit() and float(value.partition("-")[0]) == 0


def _figure(value: str, per: int) -> float | None:
    figure = value.partition("-")[0]
    return None if figure == "none" else float(figure) / per
