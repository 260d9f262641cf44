"""One command: what it printed, how long it took, and that nothing of it stays."""

import os
import signal
import subprocess
import sys
import time

import pytest

from processes import ended
from spindlemark.core.errors import UserError
from spindlemark.core.process import interrupts, programs
from spindlemark.core.process.command import KEPT_CHARACTERS, execute


def test_output_exit_code_and_time():
    done = execute(["sh", "-c", "echo out; echo err >&2; sleep 0.2; exit 3"], 10)
    assert (done.stdout, done.stderr, done.exit_code, done.timed_out) == ("out\n", "err\n", 3, False)
    assert 0.2 <= done.seconds < 5


def test_what_a_command_cost_is_that_of_its_children_too():
    """The shell's child works for 0.3 s and touches 64 MiB, in pages of any size."""
    work = "import time; x = bytes(64 << 20)\nwhile time.process_time() < 0.3: pass"
    done = execute(["sh", "-c", f"{sys.executable} -c '{work}'; true"], 30)
    assert done.exit_code == 0 and 0.29 <= done.user_seconds + done.system_seconds < 10
    assert done.minor_faults > 200 and done.major_faults >= 0
    idle = execute(["sh", "-c", "sleep 0.2"], 30)
    assert idle.user_seconds + idle.system_seconds < 0.2 and idle.minor_faults < done.minor_faults


def test_only_the_end_of_a_long_output_is_kept():
    done = execute(["sh", "-c", "seq 100000"], 10)
    assert len(done.stdout) == KEPT_CHARACTERS and done.stdout.endswith("100000\n")


def test_the_whole_group_dies_at_the_limit(tmp_path):
    done = execute(["sh", "-c", f"sleep 300 & echo $! > {tmp_path}/child; wait"], 0.5)
    assert done.timed_out and done.exit_code == -signal.SIGKILL
    assert ended((tmp_path / "child").read_text().strip())


def test_no_such_tool(monkeypatch):
    monkeypatch.setattr(programs, "_of_filesystems", {"mkfs.nonesuch": "none"})
    with pytest.raises(UserError, match="mkfs.nonesuch: no such tool"):
        execute(["mkfs.nonesuch"], 1)


def test_a_shell_sees_no_argument():
    assert execute(["env", "-i", "A=$HOME; `id`"], 5).stdout == "A=$HOME; `id`\n"


def test_the_command_dies_with_a_killed_harness(tmp_path):
    code = (
        "import sys; from spindlemark.core.process.command import execute;"
        f"execute(['sh', '-c', 'echo $$ > {tmp_path}/pid; exec sleep 300'], 300)"
    )
    harness = subprocess.Popen([sys.executable, "-c", code])
    give_up = time.monotonic() + 30
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
        assert time.monotonic() < give_up
        time.sleep(0.02)
    harness.kill()
    harness.wait()
    pid = (tmp_path / "pid").read_text().strip()
    assert ended(pid)


@pytest.fixture
def signals(monkeypatch):
    """Our handlers for one test, nothing pending before or after."""
    monkeypatch.setattr(interrupts, "_pending", None)
    kept = {signum: signal.getsignal(signum) for signum in interrupts.STOPPING}
    interrupts.install()
    yield
    for signum, handler in kept.items():
        signal.signal(signum, handler)


def test_a_signal_ends_a_command_but_not_what_takes_things_away(signals):
    with pytest.raises(interrupts.Interrupted) as stop:
        execute(["sh", "-c", f"kill -TERM {os.getpid()}; sleep 300"], 300)
    assert stop.value.signum == signal.SIGTERM
    assert execute(["sh", "-c", "echo cleaned"], 5, stoppable=False).stdout == "cleaned\n"


def test_a_signal_waits_for_a_safe_place(signals):
    os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(interrupts.Interrupted):
        interrupts.check()
