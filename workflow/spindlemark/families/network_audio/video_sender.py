"""Sends frames of video next to the sound: each stream hands a whole frame to the kernel at once, all streams at the same moment.

A program of its own: `python -P -m spindlemark.families.network_audio.video_sender FOLDER`. So do NDI and Open Media Transport over TCP.
Without an interval a stream is a file that is copied.
"""

import socket
import struct
import sys
import threading
import time

import numpy as np

from spindlemark.families.network_audio import trial_setup
from spindlemark.families.shared.timed_programs import clocks

NAME = "video-sender"
HEADER = struct.Struct("!QQ")  # number of the frame, and when it was due, in nanoseconds of CLOCK_MONOTONIC
_LIMIT_SECONDS = 30.0


def main(words: list[str]) -> None:
    """Send until the trial is over."""
    trial = trial_setup.entered(words)
    ports = [socket.create_connection((trial.client, trial.video_port), _LIMIT_SECONDS) for _ in range(trial.streams)]
    begin = trial_setup.begun(trial, NAME)
    threads = [threading.Thread(target=_send, args=(port, trial, begin), daemon=True) for port in ports]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(trial.all_seconds + _LIMIT_SECONDS)
    trial_setup.end(trial, NAME, np.zeros(0))


def _send(port: socket.socket, trial: trial_setup.Trial, begin: float) -> None:
    frame, number, last = bytearray(trial.frame_bytes), 0, begin + trial.all_seconds
    clocks.sleep_until(begin)
    while (due := begin + number * trial.frame_seconds if trial.frame_seconds else time.monotonic()) < last:
        clocks.sleep_until(due)
        HEADER.pack_into(frame, 0, number, round(1e9 * due))
        try:
            port.sendall(frame)
        except OSError:  # the receiver has ended
            return
        number += 1
        if time.monotonic() > last:
            return


if __name__ == "__main__":
    main(sys.argv[1:])
