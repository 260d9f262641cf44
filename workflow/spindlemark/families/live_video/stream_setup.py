"""The settings of a sender and its watchers, and what they note in a folder in memory that they share.

Frame n is captured n frame intervals after their common begin (timed_programs/meeting.py). What each saw ends in `<name>.json`.
"""

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from spindlemark.core import atomic_write
from spindlemark.core.record import Closed, read_model
from spindlemark.families.shared.timed_programs import meeting
from spindlemark.families.shared.timed_programs.meeting import NOTES

GRACE_SECONDS = 0.5  # after the last frame: what comes later than that is lost


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
    """Make the folder ready for a trial; see `meeting.prepare`."""
    meeting.prepare(folder, "stream-*")


def begun(setting: Setting, who: str) -> float:
    """Say that `who` is ready and wait for the others; the time of frame 0. Raises TimeoutError."""
    return meeting.begun(Path(setting.folder), setting.place(who, "ready"), setting.wait_seconds)


def note(setting: Setting, who: str, what: Closed) -> None:
    """Leave what `who` did."""
    atomic_write.write(setting.place(who), what.model_dump_json())


def entered(words: list[str]) -> tuple[Setting, list[Any]]:
    """The setting whose file is the first word, and the words after it.

    This process is in the setting's folder from then on, whatever is above that: it could not find it any more without
    the rights that it gives up.
    """
    given = read_model(Setting, Path(words[0]), "the family writes it")
    os.chdir(given.folder)
    return given.model_copy(update={"folder": "."}), words[1:]
