"""Sends the packets of all flows once a millisecond, and takes part in the exchange of a clock.

A program of its own: `python -P -m spindlemark.families.network_audio.audio_sender FOLDER`. It asks to run in real time, as the clock of a
sound card does. It notes how late each millisecond's packets were, in seconds.
"""

import socket
import sys
import threading
import time

import numpy as np

from spindlemark.families.network_audio import audio_packets, clock_exchange, trial_setup
from spindlemark.families.shared.timed_programs import clocks, drop_privileges

NAME = "audio-sender"
CLOCK_EVERY = 125  # milliseconds between two messages, as PTP's default for media (AES67, 8 a second)


def main(words: list[str]) -> None:
    """Send as the trial says."""
    trial = trial_setup.entered(words)
    drop_privileges.before_all_others()
    ports = [_port(trial.server) for _ in range(trial.flows)]
    packets = [audio_packets.packet(flow) for flow in range(trial.flows)]
    places = [(audio_packets.GROUP.format(flow + 1), audio_packets.PORT) for flow in range(trial.flows)]
    clock = clock_exchange.port(trial.server, receives=True)
    answers = np.zeros((round(trial.all_seconds / audio_packets.SECONDS) // CLOCK_EVERY + 1, 2), np.int64)
    begin = trial_setup.begun(trial, NAME)
    threading.Thread(target=clock_exchange.take_requests, args=(clock, answers), daemon=True).start()
    late = np.zeros(round(trial.all_seconds / audio_packets.SECONDS))
    for number in range(len(late)):
        due = begin + number * audio_packets.SECONDS
        clocks.sleep_until(due)
        late[number] = time.monotonic() - due
        if number % CLOCK_EVERY == 0:
            answers[number // CLOCK_EVERY, 0] = clock_exchange.send(clock, trial.client, number // CLOCK_EVERY)
        for flow, port in enumerate(ports):
            audio_packets.stamp(packets[flow], flow, number, time.time_ns())
            port.sendto(packets[flow], places[flow])
    time.sleep(clock_exchange.GRACE_SECONDS)
    np.save(trial.place("clock-sender", "npy"), answers)
    trial_setup.end(trial, NAME, late)


def _port(address: str) -> socket.socket:
    port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    audio_packets.first(port)
    port.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    port.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    return port


if __name__ == "__main__":
    main(sys.argv[1:])
