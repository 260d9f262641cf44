"""The settings of a sender and its watchers, and their common start: a folder in memory that they share.

Each leaves `<name>.ready` when it can begin, then waits for `begin`, which holds a time of CLOCK_MONOTONIC; frame n is
captured n frame intervals after it. What each saw ends in `<name>.json`. Notes are in a folder of the unprivileged user; all
else there only root can change.
"""

import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from spindlemark.core import atomic_write
from spindlemark.core.record import Closed, read_model
from spindlemark.families.live_video.drop_privileges import USER

GRACE_SECONDS = 0.5  # after the last frame: what comes later than that is lost
BEGIN, NOTES = "begin", "notes"
_LOOK_SECONDS, _STAY_SECONDS = 0.01, 1.0


class Setting(Closed):
    """One sender with its watchers. All of them read the same."""

    name: str = Field(pattern=r"^[a-z]+-\d+$", description="of the stream, in names of files")
    folder: str
    codec: str
    transport: Literal["tcp", "srt", "omt"]
    width: int
    height: int
    rate: int = Field(description="frames a second")
    warm_seconds: float = Field(description="left out at the beginning")
    seconds: float = Field(description="that count, after those")
    address: str
    port: int
    watchers: int
    wait_seconds: float = Field(default=30.0, description="for the others to be ready")
    silent_seconds: float | None = Field(
        default=None,
        description="without a packet, after which a watcher over TCP or SRT connects again; null: it stays",
    )
    clock_rate: float = Field(default=1.0, gt=0, description="of the watcher's clock; below 1 it is slow, as a control")

    @property
    def frames(self) -> range:
        """Numbers of the frames that count."""
        return range(round(self.warm_seconds * self.rate), round((self.warm_seconds + self.seconds) * self.rate))

    def sent(self) -> "Sent":
        """What the sender noted."""
        return read_model(Sent, self.place("sender"), "measure it again")

    def seen(self, watcher: int) -> "Seen":
        """What a watcher noted."""
        return read_model(Seen, self.place(f"watcher-{watcher}"), "measure it again")

    @property
    def notes(self) -> Path:
        """The folder that sender and watchers may write to."""
        return Path(self.folder) / NOTES

    @property
    def file(self) -> Path:
        """Where this is written for them."""
        return Path(self.folder) / f"{self.name}-setting.json"

    def place(self, who: str, ending: str = "json") -> Path:
        """A note of the sender's or of a watcher's."""
        return self.notes / f"{self.name}-{who}.{ending}"


class Sent(Closed):
    """What a sender did in the seconds that count."""

    captured: int = Field(description="frames whose capture was due and done")
    late_captures: int = Field(description="of them, done more than half a frame interval after they were due")
    skipped: int = Field(description="of them, never encoded, since the encoder had not ended the one before")
    dropped: int = Field(
        description="packets not sent to a watcher whose queue was full, over all watchers and all seconds"
    )
    encoded_bytes: int = Field(
        description="of all packets, each counted once; 0 where the transport does not report it"
    )
    cpu_seconds: float
    user: str = Field(description="that it ran as")
    real_time: bool = Field(description="whether the kernel let capture run before all that is not in real time")


class Seen(Closed):
    """What a watcher saw, all seconds: (number, captured, shown), both times in microseconds of CLOCK_MONOTONIC."""

    shown: list[tuple[int, int, int]]
    unreadable: int = Field(
        description="decoded frames whose mark could not be read, and packets that could not be decoded"
    )
    cpu_seconds: float = Field(description="in the seconds that count")
    user: str = Field(description="that it ran as")


def prepare(folder: Path) -> None:
    """Make the folder ready for a trial: remove what an earlier one left; only USER can write notes."""
    notes = folder / NOTES
    shutil.rmtree(notes, ignore_errors=True)
    for left in (*folder.glob("stream-*"), *folder.glob(BEGIN)):
        left.unlink()
    notes.mkdir(mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(notes, USER)
    folder.chmod(0o711)  # to pass through for processes in it; the folders above it let no one else in


def begun(setting: Setting, who: str) -> float:
    """Say that `who` is ready and wait for the others; the time of frame 0. Raises TimeoutError."""
    setting.place(who, "ready").touch()
    begin = Path(setting.folder) / BEGIN
    wait_for(setting, begin)
    return float(json.loads(begin.read_text()))


def wait_for(setting: Setting, file: Path) -> None:
    """Wait until the file of another is there; raises TimeoutError."""
    limit = time.monotonic() + setting.wait_seconds
    while not file.exists():
        if time.monotonic() > limit:
            raise TimeoutError(f"the others were not ready within {setting.wait_seconds:g} s")
        time.sleep(_LOOK_SECONDS)


def begin(folder: Path, after_seconds: float) -> float:
    """Report to all that wait in `folder` when frame 0 is captured, and return it."""
    at = time.monotonic() + after_seconds
    with atomic_write.partial(folder / BEGIN) as note:
        note.write_text(json.dumps(at))
        note.chmod(0o644)
    return at


def note(setting: Setting, who: str, what: Closed) -> None:
    """Leave what `who` did."""
    atomic_write.write(setting.place(who), what.model_dump_json())


def leave_on_request() -> None:
    """Wait to be ended, and end at once: libraries with threads of their own take their time, or never end."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    while True:
        time.sleep(_STAY_SECONDS)


def entered(words: list[str]) -> tuple[Setting, list[Any]]:
    """The setting whose file is the first word, and the words after it.

    This process is in the setting's folder from then on, whatever is above that: it could not find it any more without
    the rights that it gives up.
    """
    given = read_model(Setting, Path(words[0]), "the family writes it")
    os.chdir(given.folder)
    return given.model_copy(update={"folder": "."}), words[1:]
