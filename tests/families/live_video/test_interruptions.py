"""When pictures are shown again after an interruption, and connections that are made again."""

import socket
import threading
import time

import pytest

from spindlemark.families.live_video import interruptions, tcp
from spindlemark.families.live_video.reconnecting import Reconnecting
from spindlemark.families.live_video.stream_setup import Seen


def seen(*rows):
    return Seen(shown=list(rows), unreadable=0, cpu_seconds=1.0, user="nobody")


def test_a_picture_captured_before_the_end_is_not_shown_again():
    rows = [(1, 9_900_000, 11_000_000), (2, 10_000_000, 11_500_000), (3, 10_100_000, 11_400_000)]
    assert interruptions.shown_again(seen(*rows), 10.0, 5) == pytest.approx(1.4)
    assert interruptions.shown_again(seen(rows[0]), 10.0, 5) is None
    assert interruptions.shown_again(seen(*rows), 10.0, 1) is None, "later than the limit"


class Server:
    """Accept each connection, send it one packet, and then close it or say nothing more."""

    def __init__(self, closes):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port, self.kept, self.closes = self.listening.getsockname()[1], [], closes
        self.served = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            connection.sendall(b"\0\0\0\2ab\0\0\0\5hal")  # a packet, and the beginning of one that never ends
            self.served.set()
            if self.closes:
                connection.close()
            else:
                self.kept.append(connection)


@pytest.mark.parametrize("closes", [True, False])
def test_a_connection_that_ends_or_is_silent_is_made_again(closes):
    server = Server(closes)
    client = Reconnecting(lambda: tcp.Client("127.0.0.1", server.port, 1.0), silent_seconds=0.2)
    found = []
    for packet in client.packets(time.monotonic() + 20):
        found.append(packet)
        if len(found) == 3:
            break
    assert found == [b"ab"] * 3
    server.listening.close()


def test_a_sender_that_is_away_is_tried_until_the_end():
    server = Server(closes=True)
    client = Reconnecting(lambda: tcp.Client("127.0.0.1", server.port, 1.0), silent_seconds=0.2)
    assert server.served.wait(20)
    server.listening.shutdown(socket.SHUT_RDWR)
    server.listening.close()
    end = time.monotonic() + 1
    assert list(client.packets(end)) == [b"ab"] and time.monotonic() >= end
    with pytest.raises(OSError, match="refused"):
        Reconnecting(lambda: tcp.Client("127.0.0.1", server.port, 1.0), silent_seconds=0.2)
