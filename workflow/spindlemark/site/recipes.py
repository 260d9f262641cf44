"""Recipes as readers may paste them: without what only a measurement needs, and with what survives a reboot.

A measurement formats a device that it made itself, so it forces mkfs and does not discard blocks. A reader who
pastes the command has a disk: without the force options mkfs refuses one that already has a filesystem.
"""

import re
import shlex
from collections.abc import Sequence

# Options of the measurement per program: quiet, force, do not discard. An option with a value is a pair.
_OWN: dict[str, set[str]] = {
    "mkfs.ext3": {"-q", "-F"},
    "mkfs.ext4": {"-q", "-F"},
    "mkfs.xfs": {"-q", "-f", "-K"},
    "mkfs.btrfs": {"-q", "-f", "-K"},
    "mkfs.jfs": {"-q"},
    "mkfs.reiserfs": {"-q", "-f"},
    "mkfs.f2fs": {"-q", "-f"},
    "mkfs.nilfs2": {"-q", "-f", "-K"},
}
_F2FS_NO_DISCARD = "-t 0"
_ERASES = "# Erases DEVICE. Without a force option it refuses a device that has a filesystem."
_FSTAB = "# To mount it at each start, add to /etc/fstab: UUID=$(blkid -s UUID -o value DEVICE) MOUNT_POINT {kind} {options} 0 {check}"
_QUEUE = re.compile(r"echo (\S+) > /sys/block/DISK/queue/(scheduler|read_ahead_kb)$")
_RULE = (
    '# To keep it, write to /etc/udev/rules.d/60-spindlemark.rules: ACTION=="add|change", KERNEL=="DISK", '
    'ATTR{{queue/{name}}}="{value}"'
)
_CHECKED = ("ext3", "ext4", "jfs", "f2fs")  # whose checks run at start, as fstab's last field says


def safe(lines: Sequence[str]) -> list[str]:
    """The lines of a recipe, with the measurement's own options removed and hints added as comments."""
    return [line for each in lines for line in _safe(each)]


def _safe(line: str) -> list[str]:
    if line.startswith("mkfs."):
        return [_ERASES, format_command(line)]
    if line.startswith("mount -t "):
        return [line, _fstab(line)]
    if found := _QUEUE.match(line):
        return [line, _RULE.format(name=found[2], value=found[1])]
    return [line]


def format_command(line: str) -> str:
    """The format command without the measurement's options; `nodiscard` may be one of several extended options."""
    try:
        program, *words = shlex.split(line)
    except ValueError:  # of a contribution: it is shown as it is
        return line
    if program == "mkfs.f2fs":
        words = shlex.split(shlex.join(words).replace(_F2FS_NO_DISCARD, ""))
    kept, skip = [], False
    for at, word in enumerate(words):
        if skip:
            skip = False
        elif word == "-E" and at + 1 < len(words):
            extended = [option for option in words[at + 1].split(",") if option != "nodiscard"]
            kept += ["-E", ",".join(extended)] if extended else []
            skip = True
        elif word not in _OWN.get(program, set()):
            kept.append(word)
    return shlex.join([program, *kept])


def _fstab(line: str) -> str:
    words = line.split()
    kind = words[2]
    options = words[words.index("-o") + 1] if "-o" in words else "defaults"
    return _FSTAB.format(kind=kind, options=options, check=2 if kind in _CHECKED else 0)
