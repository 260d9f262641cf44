"""Sends one live stream: captures a picture at each tick of the clock, marks it, and has it encoded and sent.

A program of its own: `python -P -m spindlemark.families.live_video.sender SETTING`. Capture and encoding are two threads. A picture
that the encoder has not taken when the next one is captured is lost, as in a camera: nothing waits for the codec.
"""

import sys
import threading
import time
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from spindlemark.families.live_video import frame_mark, picture_ring, stream_ends, stream_setup
from spindlemark.families.shared.timed_programs import clocks, drop_privileges, meeting

_LATE = 0.5  # frame intervals
_SWITCH_SECONDS = 0.0005  # between Python's threads: a tenth of its default, since capture may not wait


class Capture(threading.Thread):
    """Marks the picture that is due and offers it; the newest one alone.

    It is started with the rights of root, to be allowed to run before all that the codec does, and waits for `pictures`.
    """

    def __init__(self, given: stream_setup.Setting) -> None:
        super().__init__(daemon=True)
        self._given, self._pictures, self._lumas = given, list[Any](), list[np.ndarray]()
        self._changed, self._over = threading.Condition(), False
        self._offered: tuple[Any, int, int] | None = None
        self._asked, self._prepared = threading.Event(), threading.Event()
        self.late, self.done, self.skipped = 0, 0, 0
        self.real_time, self._begin = False, 0.0
        self.start()
        self._asked.wait()

    def prepare(self, pictures: list[Any], lumas: list[np.ndarray], begin: float) -> None:
        """Begin with the first of them at that moment of CLOCK_MONOTONIC; what is drawn into its luma is in a picture."""
        self._pictures, self._lumas, self._begin = pictures, lumas, begin
        self._prepared.set()

    def run(self) -> None:
        """Capture every frame, the warm-up's included."""
        self.real_time = drop_privileges.before_all_others()
        self._asked.set()
        self._prepared.wait()
        counted, interval = self._given.frames, 1 / self._given.rate
        for number in range(self._first_due(), counted.stop):
            due = self._begin + number * interval
            clocks.sleep_until(due)
            captured = clocks.microseconds()
            place = picture_ring.order(number, len(self._pictures))
            frame_mark.burn(self._lumas[place], number, captured)
            if number in counted:
                self.done += 1
                self.late += captured / 1e6 - due > _LATE * interval
            self._offer((self._pictures[place], number, captured))
        with self._changed:
            self._over = True
            self._changed.notify()

    def _first_due(self) -> int:
        """The first frame that is not over: 0, or a later one where this sender was started again in a trial."""
        return max(0, ceil((time.monotonic() - self._begin) * self._given.rate))

    def next(self) -> tuple[Any, int, int] | None:
        """Wait for a picture, its number and its time; None after the last."""
        with self._changed:
            self._changed.wait_for(lambda: self._offered or self._over)
            taken, self._offered = self._offered, None
            return taken

    def _offer(self, picture: tuple[Any, int, int]) -> None:
        with self._changed:
            self.skipped += self._offered is not None and self._offered[1] in self._given.frames
            self._offered = picture
            self._changed.notify()


def main(words: list[str]) -> None:
    """Send as the setting says, and leave a note of it."""
    given, _ = stream_setup.entered(words)
    sys.setswitchinterval(_SWITCH_SECONDS)
    frames = picture_ring.held(Path(given.folder), given.width, given.height)
    stream_ends.load(given)
    capture = Capture(given)
    user = drop_privileges.give_up()
    end = stream_ends.sender(given)
    pictures = [end.picture(frame) for frame in frames]
    begin = stream_setup.begun(given, "sender")
    last = begin + given.warm_seconds + given.seconds
    spent = clocks.Spent(begin + given.warm_seconds, last)
    capture.prepare(pictures, [end.luma(picture) for picture in pictures], begin)
    size = 0
    while taken := capture.next():
        sent = end.send(*taken)
        size += sent if taken[1] in given.frames else 0
    clocks.sleep_until(last + stream_setup.GRACE_SECONDS)
    stream_setup.note(
        given,
        "sender",
        stream_setup.Sent(
            captured=capture.done,
            late_captures=capture.late,
            skipped=capture.skipped,
            dropped=end.dropped(),
            encoded_bytes=size,
            cpu_seconds=spent.seconds(),
            user=user,
            real_time=capture.real_time,
        ),
    )
    meeting.leave_on_request()


if __name__ == "__main__":
    main(sys.argv[1:])
