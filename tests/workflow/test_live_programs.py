"""Sender and watcher of live video, on this machine's loopback: every transport, and how each end can fail the other."""

import json
import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spindlemark.core.process.tools import present
from spindlemark.families.live_video import picture_ring, srt, stream_setup
from spindlemark.families.shared.timed_programs import drop_privileges, meeting

SECONDS = 60  # far more than anything here takes
SIZE = (960, 128)
NO_SRT = pytest.mark.skipif(
    not present(srt.LIBRARY), reason=f"{srt.LIBRARY} is not here: the package {srt.PACKAGE} brings it"
)
STREAMS = [("speedhq", "tcp"), pytest.param("mjpeg", "srt", marks=NO_SRT), ("vmx", "omt")]


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]


def rights_of(process):
    """The user that a process is, the capabilities that it has, and whether it can get none."""
    told = dict(line.split(":\t", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return int(told["Uid"].split()[0]), int(told["CapEff"], 16), int(told["NoNewPrivs"])


@pytest.fixture
def stage(tmp_path):
    """Start programs by name; they are ended in the end, and nothing is asked of them by then."""
    picture_ring.draw(tmp_path, "noise", *SIZE, 1)
    running = []

    class Stage:
        def given(self, codec="speedhq", transport="tcp", watchers=1, **changes):
            port = free_port(socket.SOCK_DGRAM if transport == "srt" else socket.SOCK_STREAM)
            made = stream_setup.Setting(
                **{
                    "name": "stream-1",
                    "folder": str(tmp_path),
                    "codec": codec,
                    "transport": transport,
                    "width": SIZE[0],
                    "height": SIZE[1],
                    "rate": 20,
                    "warm_seconds": 0.5,
                    "seconds": 1,
                    "address": "127.0.0.1",
                    "port": port,
                    "watchers": watchers,
                }
                | changes
            )
            stream_setup.prepare(tmp_path)
            made.file.write_text(made.model_dump_json())
            return made

        def start(self, module, *words):
            argv = [
                sys.executable,
                "-P",
                "-m",
                f"spindlemark.families.live_video.{module}",
                str(tmp_path / "stream-1-setting.json"),
                *words,
            ]
            running.append(subprocess.Popen(argv, stderr=subprocess.PIPE, text=True))
            return running[-1]

        def sender(self, given):
            process = self.start("sender")
            self.until(lambda: given.place("sender", "ready").exists(), process)
            return process

        def watcher(self, given, number=0):
            process = self.start("watcher", str(number))
            self.until(lambda: given.place(f"watcher-{number}", "ready").exists(), process)
            return process

        def until(self, there, process):
            give_up = time.monotonic() + SECONDS
            while not there():
                assert process.poll() is None, process.stderr.read()
                assert time.monotonic() < give_up
                time.sleep(0.02)

    yield Stage()
    for process in running:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.parametrize(("codec", "transport"), STREAMS)
def test_pictures_arrive_without_rights_and_beside_one_that_never_reads(stage, tmp_path, codec, transport):
    given = stage.given(codec, transport, watchers=3)
    sender, watchers, idle = stage.sender(given), [stage.watcher(given, n) for n in range(2)], stage.watcher(given, 2)
    os.kill(idle.pid, signal.SIGSTOP)
    begin = meeting.begin(tmp_path, 0.3)
    for process, who in zip([sender, *watchers], ["sender", "watcher-0", "watcher-1"], strict=True):
        stage.until(given.place(who).exists, process)
    sent = given.sent()
    assert sent.captured == len(given.frames) == 20 and sent.cpu_seconds > 0
    assert transport != "tcp" or sent.dropped > 0, "what waits for it is dropped"
    if os.geteuid() == 0:
        assert {sent.user, given.seen(0).user, given.seen(1).user} == {drop_privileges.USER}
        assert {rights_of(process) for process in (sender, *watchers)} == {
            (pwd.getpwnam(drop_privileges.USER).pw_uid, 0, 1)
        }
    for number in range(2):
        seen = given.seen(number)
        assert seen.shown and seen.unreadable == 0
        for frame, captured, shown in seen.shown:
            assert frame < given.frames.stop and shown > captured >= 1e6 * (begin + frame / given.rate) - 1
    for process in (sender, *watchers):
        process.terminate()
        assert process.wait(SECONDS) == 0
    assert not given.place("watcher-2").exists()


@pytest.mark.parametrize("transport", ["tcp", pytest.param("srt", marks=NO_SRT)])
def test_a_port_that_is_taken_ends_the_sender_with_a_word(stage, transport):
    given = stage.given(transport=transport)
    kind = socket.SOCK_DGRAM if transport == "srt" else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind((given.address, given.port))
        if kind == socket.SOCK_STREAM:
            taken.listen()
        process = stage.start("sender")
        assert process.wait(SECONDS) == 1
    assert "Error" in process.stderr.read()
    assert not given.place("sender", "ready").exists()


def test_a_sender_that_dies_leaves_its_watcher_with_what_it_saw(stage, tmp_path):
    given = stage.given(seconds=2)
    sender, watcher = stage.sender(given), stage.watcher(given)
    begin = meeting.begin(tmp_path, 0.1)
    while time.monotonic() < begin + 1:
        time.sleep(0.05)
    os.kill(sender.pid, signal.SIGSEGV)
    stage.until(given.place("watcher-0").exists, watcher)
    assert given.seen(0).shown and given.seen(0).shown[-1][0] < given.frames.stop - 1
    assert not given.place("sender").exists()


def test_nobody_waits_for_ever(stage, tmp_path):
    stage.given(wait_seconds=0.2)
    process = stage.start("sender")
    assert process.wait(SECONDS) == 1 and "were not ready" in process.stderr.read()
    assert json.loads((tmp_path / "stream-1-setting.json").read_text())["wait_seconds"] == 0.2
