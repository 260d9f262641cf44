"""An exchange of messages like that of PTP: what a receiver would believe of the sender's clock, which is its own here.

The sender says when it sent a message, the receiver stamps it and asks back, and the sender stamps that. Half of the difference of
both delays is the error that a receiver makes, IEEE 1588-2008, section 11.3: zero on a link whose directions are equally late.
PTP in devices stamps in the card; here the kernel stamps arrivals, and the program departures.
"""

import socket
import struct
import time
from contextlib import suppress

import numpy as np

from spindlemark.families.network_audio import arrivals, audio_packets

GRACE_SECONDS = 0.5  # for the last answers
_MESSAGE = struct.Struct("!QQ")
_MEMORY = 64


def port(address: str, receives: bool) -> socket.socket:
    """A socket of one end for these messages, with the priority that PTP has."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    audio_packets.first(made)
    made.bind((address, audio_packets.CLOCK_PORT))
    if receives:
        arrivals.stamped(made)
    return made


def send(made: socket.socket, to: str, number: int) -> int:
    """Send message `number`; when, in nanoseconds of CLOCK_REALTIME."""
    now = time.time_ns()
    with suppress(ConnectionRefusedError):  # of an earlier message, where the other end is not there yet
        made.sendto(_MESSAGE.pack(number, now), (to, audio_packets.CLOCK_PORT))
    return now


def take_requests(made: socket.socket, answers: np.ndarray) -> None:
    """The sender's side: note the arrival of each request in the second column of its row. Never returns."""
    memory = bytearray(_MEMORY)
    while True:
        with suppress(ConnectionRefusedError):
            _, at = arrivals.receive(made, memory)
            number, _ = _MESSAGE.unpack_from(memory)
            if number < len(answers):
                answers[number, 1] = at


def take_messages(made: socket.socket, to: str, seen: np.ndarray) -> None:
    """The receiver's side: note arrival and request of each message in its row. Never returns."""
    memory = bytearray(_MEMORY)
    while True:
        with suppress(ConnectionRefusedError):
            _, at = arrivals.receive(made, memory)
            number, _ = _MESSAGE.unpack_from(memory)
            if number < len(seen):
                seen[number] = at, send(made, to, number)


def errors(sent: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Seconds that the clock is wrong in each whole exchange: rows (departure, arrival of the request), (arrival, departure)."""
    whole = (sent > 0).all(axis=1) & (seen > 0).all(axis=1)
    there, back = seen[whole, 0] - sent[whole, 0], sent[whole, 1] - seen[whole, 1]
    return np.abs(there - back) / 2e9
