"""Packets of sound as AES67 has them: RTP, 48 kHz, 24 bits, 8 channels and 1 ms in each packet.

The first 8 bytes of a packet's samples hold the time at which it was handed to the kernel, in nanoseconds of CLOCK_REALTIME, the clock
of the kernel's time stamps. Sender and receiver share it, so that a delay needs no clock synchronisation.

Source of the format: AES67-2018, sections 7.1 and 7.2.
"""

import socket
import struct

SAMPLES, CHANNELS, SAMPLE_BYTES, SECONDS = 48, 8, 3, 0.001
PAYLOAD_TYPE, PORT, CLOCK_PORT = 97, 5004, 5319
_EXPEDITED = 46 << 2  # DSCP EF, which Dante and AES67 give to what must not wait, in the byte of the IP header
_FIRST = 6  # the priority of a socket that pfifo_fast sends first; it does not know DSCP EF, as a switch does
GROUP = "239.69.0.{}"  # multicast, of the range that AES67 names; one for each flow
_HEADER = struct.Struct("!BBHIIQ")  # the header of RTP, and the time of sending
BYTES = 12 + SAMPLES * CHANNELS * SAMPLE_BYTES


def first(port: socket.socket) -> None:
    """Mark what the socket sends as urgent: for switches by its DSCP, for this machine's queue by its priority."""
    port.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, _EXPEDITED)
    port.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, _FIRST)


def packet(flow: int) -> bytearray:
    """A packet of a flow with samples that are the same each time."""
    return bytearray(12) + bytes((flow * 31 + n) % 256 for n in range(BYTES - 12))


def stamp(packet: bytearray, flow: int, number: int, sent: int) -> None:
    """Make it the packet `number` of the flow, sent at `sent`."""
    when = number * SAMPLES % 2**32
    _HEADER.pack_into(packet, 0, 0x80, PAYLOAD_TYPE, number % 2**16, when, flow, sent)


def read(packet: bytes | bytearray | memoryview) -> tuple[int, int, int]:
    """Flow, number and time of sending; the number counts from 0 and is right for the first 24 hours."""
    _, _, _, when, flow, sent = _HEADER.unpack_from(packet)
    return flow, when // SAMPLES, sent
