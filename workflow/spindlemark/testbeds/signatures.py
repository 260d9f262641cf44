"""The signatures on a device that util-linux knows."""

import json
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute

TOOLS = {"wipefs": "util-linux", "blkid": "util-linux"}
_LIMIT_SECONDS = 60
_NOTHING_FOUND, _AMBIVALENT = 2, 8  # exit codes of blkid --probe


def known(node: Path) -> list[str]:
    """Each signature that wipefs finds, with its place, as "ext4 at byte 1080".

    Raises UserError when it cannot look, or says what cannot be understood: then nobody knows that there is none.
    """
    done = execute(["wipefs", "--no-act", "--json", str(node)], _LIMIT_SECONDS)
    if done.exit_code != 0:
        raise UserError(
            f"{node}: wipefs cannot look at it: {done.stderr.strip() or done.exit_code}",
            "see the message; nothing was written",
        )
    try:
        # Some versions say nothing at all of a device without signatures.
        found = json.loads(done.stdout)["signatures"] if done.stdout.strip() else []
        if not isinstance(found, list):
            raise TypeError
        return [f"{one['type']} at byte {int(one['offset'], 16)}" for one in found]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UserError(
            f"{node}: wipefs does not say in a known way what is on it; nothing was written",
            "install the wipefs of util-linux",
        ) from None


def ambiguous(node: Path) -> str | None:
    """Why blkid is not sure that the device is empty; None when it finds nothing."""
    done = execute(["blkid", "--probe", str(node)], _LIMIT_SECONDS)
    if done.exit_code == _NOTHING_FOUND and not done.stderr.strip():  # the same code when it cannot look
        return None
    if done.exit_code == _AMBIVALENT:
        return "blkid finds signatures of more than one kind on it"
    return f"blkid finds {done.stdout.strip() or done.stderr.strip() or 'something'} on it"


def kind_at(node: Path, offset: int) -> str | None:
    """What blkid takes a partition for that begins at byte `offset`, as "ext4"; None when for nothing it knows."""
    done = execute(
        [
            "blkid",
            "--probe",
            "--offset",
            str(offset),
            "--output",
            "value",
            "--match-tag",
            "TYPE",
            "--match-tag",
            "PTTYPE",
            str(node),
        ],
        _LIMIT_SECONDS,
    )
    return " ".join(done.stdout.split()) or None
