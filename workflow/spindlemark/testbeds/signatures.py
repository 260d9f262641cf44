"""What is on a device: the signatures that util-linux knows, and whether there is anything at all."""

import json
from pathlib import Path

from spindlemark.errors import UserError
from spindlemark.measure.command import execute

AREA = 1 << 20  # bytes looked at in the first, middle and last place
TOOLS = {"wipefs": "util-linux", "blkid": "util-linux"}
_LIMIT_SECONDS = 60
_NOTHING_FOUND, _AMBIVALENT = 2, 8  # exit codes of blkid --probe


def known(node: Path) -> list[str]:
    """Each signature that wipefs finds, with its place, as "ext4 at byte 1080"; UserError when it cannot look."""
    done = execute(["wipefs", "--no-act", "--json", str(node)], _LIMIT_SECONDS)
    try:
        found = json.loads(done.stdout)["signatures"]
    except (ValueError, KeyError):
        raise UserError(f"{node}: wipefs cannot look at it: {done.stderr.strip() or done.exit_code}",
                        "see the message; nothing was written") from None
    return [f"{one['type']} at byte {int(one['offset'], 16)}" for one in found]


def ambiguous(node: Path) -> str | None:
    """Why blkid is not sure that the device is empty; None when it finds nothing."""
    done = execute(["blkid", "--probe", str(node)], _LIMIT_SECONDS)
    if done.exit_code == _NOTHING_FOUND:
        return None
    if done.exit_code == _AMBIVALENT:
        return "blkid finds signatures of more than one kind on it"
    return f"blkid finds {done.stdout.strip() or done.stderr.strip() or 'something'} on it"


def not_zero(node: Path, size: int) -> str | None:
    """Where the first, middle or last MiB holds anything but zeros, None when nowhere."""
    places = {"first": 0, "middle": size // 2, "last": max(size - AREA, 0)}
    with node.open("rb", buffering=0) as device:
        for name, offset in places.items():
            device.seek(offset)
            if any(device.read(AREA)):
                return f"its {name} MiB holds data of a kind that nothing here knows"
    return None
