"""Factor `device`: the speed of a network's storage: limits of config/devices.yaml, or a reference testbed."""

from typing import Any

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.families.factors.factor import Choice, Factor, require_disk
from spindlemark.testbeds import disk_model
from spindlemark.testbeds.kind import Settings

UNLIMITED = "unlimited"


class DeviceFactor(Factor):
    """The speed of a network's storage: limits of config/devices.yaml, or a reference testbed."""

    name = "device"

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Name and limits, or figures of a model.

        Raises UserError for an unknown one, and without a disk or with one that cannot have them.
        """
        name = choice.chosen.get("device", UNLIMITED)
        if name == UNLIMITED:
            return {"name": name, "limits": {}}
        storage = require_disk(choice, "device")
        if _throttle(storage) or isinstance(storage, config.DiskModelTestbed):
            raise UserError(
                f"{choice.where}: device: the storage of this testbed has its own limits",
                "measure on a testbed with storage: ram or loop",
            )
        found = config.choose(_references(choice.registry) | choice.registry.devices, name, "device", choice.where)
        if isinstance(found, config.HardDisk):
            if not isinstance(storage, config.RamTestbed):
                raise UserError(
                    f"{choice.where}: device: {name} is a model, whose content must be in memory",
                    "measure on a testbed with storage: ram",
                )
            return {"name": name, "limits": {}, "model": disk_model.facts(found)}
        return {"name": name, "limits": found.limits()}

    def opening(self, value: dict[str, Any]) -> Settings:
        """The limits of the testbed's storage, which the testbed tests, or the figures of a modelled disk."""
        settings = {"limits": value["limits"]} if value["limits"] else {}
        return settings | ({"disk_model": value["model"]} if "model" in value else {})


def _references(registry: config.Registry) -> dict[str, config.Throttle | config.DeviceModel | config.HardDisk]:
    """What reference testbeds are: limits with a source, and modelled disks."""
    found: dict[str, config.Throttle | config.DeviceModel | config.HardDisk] = {}
    for name, testbed in registry.testbeds.items():
        if isinstance(testbed, config.DiskModelTestbed):
            found[name] = testbed.disk
        elif (throttle := _throttle(testbed)) and throttle.reference:
            found[name] = throttle
    return found


def _throttle(testbed: config.Testbed) -> config.Throttle | None:
    return testbed.throttle if isinstance(testbed, config.LoopTestbed | config.RamTestbed) else None


DEVICE = DeviceFactor()
