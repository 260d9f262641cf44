"""Receives the packets of all flows, and notes when each was sent and when it arrived.

A program of its own: `python -P -m spindlemark.families.network_audio.audio_receiver FOLDER`. The kernel stamps arrivals, so that this
program may be late itself.
"""

import socket
import sys
import threading
import time

import numpy as np

from spindlemark.families.network_audio import arrivals, audio_packets, audio_sender, clock_exchange, trial_setup

NAME = "audio-receiver"
_LOOK_SECONDS = 0.2


def main(words: list[str]) -> None:
    """Receive until the trial is over; leaves the array (flow, number, sent and arrived), 0 where a packet is missing."""
    trial = trial_setup.entered(words)
    port = _port(trial)
    clock = clock_exchange.port(trial.client, receives=True)
    count = round(trial.all_seconds / audio_packets.SECONDS)
    seen = np.zeros((trial.flows, count, 2), np.int64)
    exchanged = np.zeros((count // audio_sender.CLOCK_EVERY + 1, 2), np.int64)
    begin = trial_setup.begun(trial, NAME)
    exchange = threading.Thread(target=clock_exchange.take_messages, args=(clock, trial.server, exchanged), daemon=True)
    exchange.start()
    _receive(port, seen, begin + trial.all_seconds + clock_exchange.GRACE_SECONDS)
    np.save(trial.place("clock-receiver", "npy"), exchanged)
    trial_setup.end(trial, NAME, seen)


def _receive(port: socket.socket, seen: np.ndarray, until: float) -> None:
    memory, (flows, count, _) = bytearray(2 * audio_packets.BYTES), seen.shape
    while time.monotonic() < until:
        try:
            size, arrived = arrivals.receive(port, memory)
        except TimeoutError:
            continue
        if size == audio_packets.BYTES:
            flow, number, sent = audio_packets.read(memory)
            if flow < flows and number < count:
                seen[flow, number] = sent, arrived


def _port(trial: trial_setup.Trial) -> socket.socket:
    port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    arrivals.stamped(port)
    port.settimeout(_LOOK_SECONDS)
    port.bind(("", audio_packets.PORT))
    for flow in range(trial.flows):
        group = socket.inet_aton(audio_packets.GROUP.format(flow + 1)) + socket.inet_aton(trial.client)
        port.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    return port


if __name__ == "__main__":
    main(sys.argv[1:])
