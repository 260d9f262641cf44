"""The signatures on a device that util-linux recognises."""

import json
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute

TOOLS = {"wipefs": "util-linux", "blkid": "util-linux"}
_LIMIT_SECONDS = 60
_NOTHING_FOUND, _AMBIVALENT = 2, 8  # exit codes of blkid --probe


def known(node: Path) -> list[str]:
    """List each signature that wipefs finds, with its place, such as "ext4 at byte 1080".

    Raises UserError when wipefs fails or its output is not understood, since the device may then have signatures.
    """
    done = execute(["wipefs", "--no-act", "--json", str(node)], _LIMIT_SECONDS)
    if done.exit_code != 0:
        raise UserError(
            f"{node}: wipefs cannot read it: {done.stderr.strip() or done.exit_code}; nothing was written",
            "fix the cause that wipefs reports",
        )
    try:
        # Some versions print nothing for a device without signatures.
        found = json.loads(done.stdout)["signatures"] if done.stdout.strip() else []
        if not isinstance(found, list):
            raise TypeError
        return [f"{one['type']} at byte {int(one['offset'], 16)}" for one in found]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UserError(
            f"{node}: the output of wipefs is not in a known format; nothing was written",
            "install the wipefs of util-linux",
        ) from None


def ambiguous(node: Path) -> str | None:
    """Say what blkid finds on the device; None when it finds nothing."""
    done = execute(["blkid", "--probe", str(node)], _LIMIT_SECONDS)
    if done.exit_code == _NOTHING_FOUND and not done.stderr.strip():  # the code is the same when it cannot read
        return None
    if done.exit_code == _AMBIVALENT:
        return "blkid finds signatures of several kinds on it"
    return f"blkid finds {done.stdout.strip() or done.stderr.strip() or 'something'} on it"


def kind_at(node: Path, offset: int) -> str | None:
    """The type that blkid finds for a partition that begins at byte `offset`, such as "ext4"; None without one."""
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
