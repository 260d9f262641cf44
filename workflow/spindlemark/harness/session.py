"""Which session a repetition belongs to: one boot of one machine on one day, the unit in which results are replicated.

It goes on through midnight (UTC) while less than an hour is between two measurements. The machine keeps it, for all
projects on it; only the holder of the machine's lock may use it.
"""

import hashlib
import hmac
import json
import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from spindlemark.core import host, private_files
from spindlemark.core.record import Scalar

FILE = private_files.STATE / "session.json"
PAUSE = timedelta(hours=1)
INTERIM_ANALYSES, BLOCK = "run.looks", "run.round"  # further fields, which the driver adds


def present(now: datetime, boot: str | None = None, file: Path = FILE) -> dict[str, Scalar]:
    """The environment's fields of the session at `now`: `session.id` (2026-11-22-3fa1), `session.boot`, `session.day`.

    The day is that on which it began. Neither machine nor boot can be derived from the hashes.
    """
    booted = _hashed(boot or private_files.boot())
    began = _kept(file, booted, now) or f"{now.astimezone(UTC):%Y-%m-%d}"
    return {"session.id": f"{began}-{booted[:4]}", "session.boot": booted, "session.day": began}


def ended(fields: dict[str, Scalar], now: datetime, file: Path = FILE) -> None:
    """Keep that a measurement of the session `fields` ended at `now`."""
    text = json.dumps({"boot": fields["session.boot"], "day": fields["session.day"], "ended": now.timestamp()})
    with private_files.file(file) as descriptor:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0)


def _kept(file: Path, booted: str, now: datetime) -> str | None:
    """The day of the session that goes on, None where a new one begins; what cannot be read was none."""
    with private_files.file(file) as descriptor, suppress(ValueError, KeyError, TypeError, OverflowError):
        kept = json.loads(os.pread(descriptor, 1000, 0))
        last = datetime.fromtimestamp(kept["ended"], UTC)
        today = last.date() == now.astimezone(UTC).date() == datetime.fromisoformat(kept["day"]).date()
        if kept["boot"] == booted and (today or timedelta() <= now - last < PAUSE):
            return f"{datetime.fromisoformat(kept['day']):%Y-%m-%d}"
    return None


def _hashed(boot: str) -> str:
    """12 hex digits that are the same for every measurement of one boot of one machine."""
    return hmac.new((host.identity() or "").encode(), boot.encode(), hashlib.sha256).hexdigest()[:12]
