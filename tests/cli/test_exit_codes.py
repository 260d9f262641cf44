"""How a command ends when a signal asks it to."""

import signal
import subprocess
import sys

import pytest

CODE = """
import os, signal
from spindlemark.cli.terminal import exit_codes
with exit_codes.exits():
    os.kill(os.getpid(), signal.SIGHUP)
    print("goes on")
"""


@pytest.mark.parametrize(("ignored", "code", "out"), [(True, 0, "goes on\n"), (False, 130, "")])
def test_a_closed_terminal_stops_it_unless_nohup_started_it(ignored, code, out):
    handler = signal.SIG_IGN if ignored else signal.SIG_DFL
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        preexec_fn=lambda: signal.signal(signal.SIGHUP, handler),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (code, out), done.stderr


@pytest.mark.parametrize(("command", "told"), [("test", "Stopped.\n"), ("run", "Stopped. ")])
def test_only_a_run_says_what_is_measured(command, told):
    done = subprocess.run(
        [sys.executable, "-c", CODE, command],
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # below nohup it is ignored
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stderr.startswith(told)
    assert ("measured" in done.stderr) is (command == "run")
