"""What outlives a killed command line is stopped, also if it does not react to the first signal."""

import signal
import subprocess
import sys
import time

import pytest

from spindlemark.core.paths import ROOT

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
)
WATCH = "import sys; from spindlemark.cli import stop_orphan; stop_orphan.STOP_SECONDS = 0.5; stop_orphan.main(int(sys.argv[1]))"


@pytest.fixture
def group():
    with subprocess.Popen(
        [sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def watch(process, said):
    subprocess.run(
        [sys.executable, "-c", WATCH, str(process.pid)], input=said, cwd=ROOT / "workflow", check=True, timeout=30
    )


def test_it_ends_after_the_signals_if_the_command_line_was_killed(group):
    begun = time.monotonic()
    waiting = subprocess.Popen(
        [sys.executable, "-c", WATCH, str(group.pid)], stdin=subprocess.DEVNULL, cwd=ROOT / "workflow"
    )
    assert waiting.wait(timeout=30) == 0 and time.monotonic() - begun > 0.4
    assert group.wait(timeout=0) == -signal.SIGTERM, "it does not wait until its parent notices that it ended"


def test_it_is_left_alone_if_the_command_line_says_that_it_ended(group):
    watch(group, b".")
    time.sleep(0.2)
    assert group.poll() is None
