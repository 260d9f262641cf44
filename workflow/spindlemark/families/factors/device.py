"""Factor `device`: the limits of a network's storage: one of config/devices.yaml, or a reference testbed."""

from typing import Any

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.families.factors.factor import Choice, Factor, require_disk
from spindlemark.testbeds.kind import Settings

UNLIMITED = "unlimited"


class DeviceFactor(Factor):
    """The limits of a network's storage: one of config/devices.yaml, or a reference testbed."""

    name = "device"

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Name and limits; raises UserError for an unknown one, and without a disk or with a limited one."""
        name = choice.chosen.get("device", UNLIMITED)
        if name == UNLIMITED:
            return {"name": name, "limits": {}}
        if _throttle(require_disk(choice, "device")):
            raise UserError(
                f"{choice.where}: device: the storage of this testbed has its own limits",
                "measure on a testbed with storage: ram or loop",
            )
        throttles = {bed: _throttle(declared) for bed, declared in choice.registry.testbeds.items()}
        references: dict[str, config.Throttle | config.DeviceModel] = {
            bed: throttle for bed, throttle in throttles.items() if throttle and throttle.reference
        }
        found = config.choose(references | choice.registry.devices, name, "device", choice.where)
        return {"name": name, "limits": found.limits()}

    def opening(self, value: dict[str, Any]) -> Settings:
        """The limits of the testbed's storage; the testbed tests them."""
        return {"limits": value["limits"]} if value["limits"] else {}


def _throttle(testbed: config.Testbed) -> config.Throttle | None:
    return testbed.throttle if isinstance(testbed, config.LoopTestbed | config.RamTestbed) else None


DEVICE = DeviceFactor()
