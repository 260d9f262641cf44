"""The relay between two devices: order, delay, losses and a bounded queue, with sockets in the place of devices."""

import random
import socket
import time

import pytest

from spindlemark.testbeds import relay_program


@pytest.fixture
def way():
    """One direction; packets are put in at `put` and come out at `got`."""
    put, taken = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    given, got = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    for end in (put, taken, given, got):
        end.setblocking(False)
    made = relay_program.Way(taken.fileno(), given.fileno(), random.Random(0))
    made.put, made.got = put, got
    yield made
    for end in (put, taken, given, got):
        end.close()


def through(way, count: int, now: float, **told: float) -> list[bytes]:
    """What of `count` numbered packets has come out when it is `now` seconds later."""
    came = []
    for number in range(count):
        way.put.send(number.to_bytes(2, "big"))
        way.take(**{"delay": 0.0, "jitter": 0.0, "loss": 0.0} | told)
        if now == 0:
            way.give(time.monotonic())
            came += received(way)
    way.give(time.monotonic() + now)
    return came + received(way)


def received(way) -> list[bytes]:
    found = []
    while True:
        try:
            found.append(way.got.recv(100))
        except BlockingIOError:
            return found


def numbers(packets: list[bytes]) -> list[int]:
    return [int.from_bytes(packet, "big") for packet in packets]


def test_what_is_not_disturbed_passes_at_once(way):
    assert numbers(through(way, 100, 0)) == list(range(100))
    assert (way.passed, way.lost, way.dropped, way.bytes) == (100, 0, 0, 0)


def test_a_packet_waits_for_its_delay(way):
    assert through(way, 1, 0, delay=60.0) == []
    way.give(time.monotonic() + 59)
    assert received(way) == []
    way.give(time.monotonic() + 61)
    assert numbers(received(way)) == [0]


def test_jitter_changes_no_order(way):
    for number in range(5):
        way.put.send(bytes([number]))
    way.take(delay=10.0, jitter=9.0, loss=0.0)
    due = [at for at, _ in way.waiting]
    assert (
        due == sorted(due)
        and abs(due[0] - time.monotonic() - 10) > 0.5
        and all(0 < at - time.monotonic() < 20 for at in due)
    )
    way.give(time.monotonic() + 20)
    assert [packet[0] for packet in received(way)] == [0, 1, 2, 3, 4]


def test_the_share_that_is_lost_is_the_share_that_was_asked(way):
    came = numbers(through(way, 2000, 0, loss=0.1))
    assert 150 < way.lost < 250 and len(came) == 2000 - way.lost and came == sorted(came)


def test_what_waits_is_bounded_and_the_rest_is_dropped_and_counted(way, monkeypatch):
    monkeypatch.setattr(relay_program, "_QUEUE_BYTES", 10)
    assert numbers(through(way, 8, 120, delay=60.0)) == [0, 1, 2, 3, 4]
    assert (way.passed, way.dropped, way.bytes) == (5, 3, 0)


def test_a_device_that_takes_nothing_is_no_end_of_the_relay(way):
    way.got.close()
    assert way.put.send(b"x") == 1
    way.take(delay=0.0, jitter=0.0, loss=0.0)
    way.give(time.monotonic() + 1)
    assert (way.passed, way.dropped) == (0, 1)
