"""Factor `filesystem`: one of config/filesystems.yaml with one of its settings, as ext4 or ext4+m0."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.record import Part
from spindlemark.families.factors.factor import Choice, Factor, require_device, with_setting
from spindlemark.families.factors.library import LIBRARY
from spindlemark.families.shared import media

DEFAULT = "default"
INODES_MARGIN = 1.5  # requested inodes over those of the library: room to grow, as in study 001
INODES = "{inodes}"
# Placeholders of a recipe: the block device, such as /dev/sdx1, and an empty folder.
DEVICE, MOUNT_POINT = "DEVICE", "MOUNT_POINT"


class FilesystemFactor(Factor):
    """One of config/filesystems.yaml with one of its settings, as ext4 or ext4+m0."""

    name = "filesystem"
    leads = True
    settings = {
        "filesystem": "filesystem.name",
        "variant": "filesystem.variant",
        "mkfs": "filesystem.mkfs",
        "mount": "filesystem.mount",
    }

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Name, kernel module and setting, with the commands that make, mount and check it."""
        chosen = self.part(choice.value("filesystem"))
        require_device(choice, "filesystem")
        name, variant = chosen.value, chosen.setting or DEFAULT
        filesystem = config.choose(choice.registry.filesystems, name, "filesystem", choice.where)
        if variant != DEFAULT:
            config.choose(filesystem.variants, variant, f"variant of {name}", choice.where)
        options = filesystem.options(variant)
        return {
            "name": name,
            "module": filesystem.module,
            "variant": variant,
            "mkfs": [*filesystem.mkfs, *_with_inodes(options.mkfs, choice)],
            "mount": [*filesystem.mount, *options.mount],
            "preallocate": options.preallocate,
            "check": filesystem.check,
        }

    def tools(self, value: dict[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
        """Its package and the command that prints the version."""
        filesystem = config.choose(registry.filesystems, value["name"], "filesystem", "config/filesystems.yaml")
        return {filesystem.package: tuple(filesystem.version)}

    def part(self, chosen: str) -> Part:
        """A filesystem and one of its settings, which a set writes as ext4+m0."""
        return with_setting(chosen)

    def modules(self, value: dict[str, Any]) -> list[str]:
        """The kernel's module that mounts it."""
        return [value["module"]]

    def recipe(self, settings: Mapping[str, str]) -> list[str]:
        """Commands that make and mount it: the same for a disk, a loop device and the disk of a virtual machine.

        The type that mount is given is the name of the kernel's module. ZFS has no recipe: it is mounted by a pool's name.
        """
        if "filesystem.mkfs" not in settings or settings["filesystem.name"] == "zfs":
            return []
        options = json.loads(settings.get("filesystem.mount", "[]"))
        kind = settings.get("filesystem.module", settings["filesystem.name"])
        chosen = ["-o", ",".join(options)] if options else []
        return [
            f"{shlex.join(json.loads(settings['filesystem.mkfs']))} {DEVICE}",
            f"{shlex.join(['mount', '-t', kind, *chosen])} {DEVICE} {MOUNT_POINT}",
        ]


def _with_inodes(words: list[str], choice: Choice) -> list[str]:
    if INODES not in words:
        return words
    if "library" not in choice.chosen:
        raise UserError(
            f"{choice.where}: {choice.value('filesystem')} makes as many inodes as a library needs, and "
            "the set has no library",
            "choose another variant, or add the factor library",
        )
    inodes = round(INODES_MARGIN * media.needed_inodes(LIBRARY.resolve(choice)))
    return [str(inodes) if word == INODES else word for word in words]


FILESYSTEM = FilesystemFactor()
