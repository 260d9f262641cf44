"""What all programs of a trial read: who sends what for how long, and how each begins and ends."""

import os
from pathlib import Path

import numpy as np
from pydantic import Field

from spindlemark.core import atomic_write
from spindlemark.core.record import Closed, read_model
from spindlemark.families.shared.timed_programs import drop_privileges, meeting

FILE = "trial.json"


class Trial(Closed):
    """Sound, and the traffic next to it."""

    folder: str
    server: str = Field(description="address of the end that sends")
    client: str
    flows: int = Field(description="of sound, 8 channels each")
    warm_seconds: float = Field(description="left out at the beginning")
    seconds: float = Field(description="that count, after those")
    streams: int = Field(description="of video next to the sound; each is one TCP connection")
    frame_bytes: int
    frame_seconds: float = Field(description="from one frame to the next; 0: as fast as the link takes them")
    video_port: int
    wait_seconds: float = Field(default=30.0, description="for the others to be ready")

    @property
    def all_seconds(self) -> float:
        """With the beginning."""
        return self.warm_seconds + self.seconds

    def place(self, name: str, ending: str) -> Path:
        """A note of the program `name`."""
        return Path(self.folder) / meeting.NOTES / f"{name}.{ending}"

    def write(self) -> None:
        """Write it for the programs."""
        (Path(self.folder) / FILE).write_text(self.model_dump_json())

    def seen(self, name: str) -> np.ndarray:
        """What a program noted."""
        return np.load(self.place(name, "npy"), allow_pickle=False)


def entered(words: list[str]) -> Trial:
    """The trial in the folder that is the first word; this process is in it from then on, to find it without rights."""
    given = read_model(Trial, Path(words[0]) / FILE, "the family writes it")
    os.chdir(words[0])
    return given.model_copy(update={"folder": "."})


def begun(trial: Trial, name: str) -> float:
    """Give up all rights, say that this program is ready, and wait for the others; the time of the begin."""
    drop_privileges.give_up()
    return meeting.begun(Path(trial.folder), trial.place(name, "ready"), trial.wait_seconds)


def end(trial: Trial, name: str, seen: np.ndarray) -> None:
    """Leave what this program saw, then wait to be ended."""
    with atomic_write.partial(trial.place(name, "npy")) as target, target.open("wb") as file:
        np.save(file, seen)
    meeting.leave_on_request()
