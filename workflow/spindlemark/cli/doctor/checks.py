"""All checks of the doctor, in the order in which they are shown."""

from spindlemark.cli.doctor import hardware, network, software, virtual_machines
from spindlemark.cli.doctor.row import Row
from spindlemark.config import Registry

__all__ = ["Row", "rows"]


def rows(registry: Registry) -> list[Row]:
    """Every check; those that measuring needs come first. They change nothing and load no kernel module."""
    return [
        software.root(),
        hardware.loop_devices(),
        *(software.kernel_filesystem(each) for each in registry.filesystems.values() if not each.pool),
        *software.filesystem_tools(registry),
        *software.other_tools(registry),
        software.servers(),
        *software.built(),
        *hardware.image_space(registry),
        *hardware.source_memory(registry),
        *hardware.memory_images(registry),
        *hardware.work_memory(registry),
        hardware.processor(),
        hardware.background_load(registry),
        hardware.governor(),
        hardware.virtualisation(),
        hardware.kvm(),
        *virtual_machines.machines(registry),
        *virtual_machines.zfs_modules(registry),
        *network.rows(registry),
        software.hugo(),
        software.browser(),
    ]
