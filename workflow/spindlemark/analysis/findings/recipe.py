"""Recipe: the commands that reproduce a set-up, with placeholders for what only the reader knows."""

import json
import shlex

from spindlemark.families import registry as families

DEVICE = "DEVICE"
MOUNT_POINT = "MOUNT_POINT"
DISK = "DISK"


def commands(settings: dict[str, str], family: str = "", alike: bool = False) -> list[str]:
    """Format, mount and scheduler commands from the factors of one identity (rows of the factor table), and what was noted.

    They are the same for a disk, a loop device and the disk of a virtual machine; the type that mount is given is the
    kernel module's name.
    DEVICE is the block device (as /dev/sdx1), DISK its disk's name below /sys/block, MOUNT_POINT an empty folder.
    What a family's own factors say comes after them. `alike`: all configurations have the same filesystem and scheduler; then
    only the family's own lines are returned: someone who edits a file or starts a server is not to format a disk.
    """
    own = families.recipe(family, settings)
    if own and alike:
        return own
    lines = []
    if "filesystem.mkfs" in settings:
        lines.append(f"{shlex.join(json.loads(settings['filesystem.mkfs']))} {DEVICE}")
        options = json.loads(settings.get("filesystem.mount", "[]"))
        kind = settings.get("filesystem.module", settings["filesystem.name"])
        chosen = ["-o", ",".join(options)] if options else []
        lines.append(f"{shlex.join(['mount', '-t', kind, *chosen])} {DEVICE} {MOUNT_POINT}")
    if settings.get("scheduler"):
        lines.append(f"echo {shlex.quote(settings['scheduler'])} > /sys/block/{DISK}/queue/scheduler")
    return lines + own
