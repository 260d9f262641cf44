"""Factors that are settings of networks: the testbed's own unless a set names another; both ends are given the value."""

from dataclasses import dataclass

from pydantic import ValidationError

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.limits import message, shown
from spindlemark.families.factors.factor import Choice, Factor
from spindlemark.testbeds.kind import Settings


@dataclass(frozen=True)
class NetworkSetting(Factor):
    """One setting, under the name that `config/testbeds/` has for it."""

    name: str

    def resolve(self, choice: Choice) -> str:
        """Its value; raises UserError for a bad one, or where the testbed is not a network."""
        if not isinstance(choice.testbed, config.Network):
            raise UserError(
                f"{choice.where}: {self.name}: is a setting of networks, and this testbed is of kind "
                f"{choice.testbed.kind}",
                "name a network in the set, as testbeds: [link]",
            )
        value = choice.chosen.get(self.name, getattr(choice.testbed, self.name))
        try:
            type(choice.testbed).model_validate(choice.testbed.model_dump() | {self.name: value})
        except ValidationError as error:
            raise UserError(
                f"{choice.where}: {self.name}: {message(error.errors(include_url=False)[0])}",
                f"it is now {shown(value)}: see {self.name} in config/testbeds/",
            ) from None
        return value

    def opening(self, value: str) -> Settings:
        """The setting of both ends."""
        return {self.name: value}


CONGESTION = NetworkSetting("congestion")  # TCP's congestion control: cubic or bbr, for example; kernel: the machine's
DELAY = NetworkSetting("delay")  # how much later packets arrive, each way: none or 10-ms, for example
EEE = NetworkSetting("eee")  # energy efficient Ethernet of real cards, on or off; kernel: as the card has it
JITTER = NetworkSetting("jitter")  # by how much a packet's delay varies by chance: none or 2-ms, for example
LINK_RATE = NetworkSetting("link_rate")  # capacity each way, tested in a trial: unlimited or 2.5-gbit, for example
LOSS = NetworkSetting("loss")  # share of the packets that is lost by chance, each way: none or 0.1-percent, for example
MTU = NetworkSetting("mtu")  # the largest packet in bytes: 1500 or 9000, for example
OFFLOADS = NetworkSetting("offloads")  # on: the kernel hands over many packets as one; off: each by itself
