"""Takes the frames of all streams, and notes when each had arrived whole.

A program of its own: `python -P -m spindlemark.families.network_audio.video_receiver FOLDER`.
"""

import socket
import sys
import threading
import time

import numpy as np

from spindlemark.families.network_audio import clock_exchange, trial_setup, video_sender

NAME = "video-receiver"
_LIMIT_SECONDS = 30.0
Row = tuple[int, int, int]  # stream, when the frame was due and when it had arrived, in nanoseconds of CLOCK_MONOTONIC


def main(words: list[str]) -> None:
    """Receive until the trial is over."""
    trial = trial_setup.entered(words)
    with socket.create_server((trial.client, trial.video_port)) as server:
        server.settimeout(_LIMIT_SECONDS)
        trial.place(NAME, "listening").touch()
        ports = [server.accept()[0] for _ in range(trial.streams)]
    rows: list[Row] = []
    begin = trial_setup.begun(trial, NAME)
    until = begin + trial.all_seconds + clock_exchange.GRACE_SECONDS
    for stream, port in enumerate(ports):
        threading.Thread(target=_take, args=(port, stream, trial.frame_bytes, rows), daemon=True).start()
    time.sleep(max(0.0, until - time.monotonic()))
    trial_setup.end(trial, NAME, np.array(rows, np.int64).reshape(-1, 3))


def _take(port: socket.socket, stream: int, size: int, rows: list[Row]) -> None:
    port.settimeout(_LIMIT_SECONDS)
    memory = memoryview(bytearray(size))
    while True:
        filled = 0
        while filled < size:
            try:
                got = port.recv_into(memory[filled:])
            except OSError:
                return
            if not got:
                return
            filled += got
        _, due = video_sender.HEADER.unpack_from(memory)
        rows.append((stream, due, time.monotonic_ns()))


if __name__ == "__main__":
    main(sys.argv[1:])
