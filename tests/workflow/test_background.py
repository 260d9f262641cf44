"""Processes beside the steps: waited for, watched, counted, recorded, and ended with all that they started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from processes import ended
from spindlemark.core import private_files
from spindlemark.core.outcome import Broken, Failed
from spindlemark.core.process import programs
from spindlemark.testbeds import background as module
from spindlemark.testbeds import load
from spindlemark.testbeds.background import background

pytestmark = pytest.mark.usefixtures("needs_root")
BUSY = "import time\nwhile time.process_time() < {0}: pass\n"
# Its child leaves the process group, as a server's does that goes into the background.
FAMILY = """
import os, subprocess, sys, time
code = "import os, time; os.setsid(); print('up', flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
child.stdout.readline()
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(600)
"""


@pytest.fixture
def session():
    return SimpleNamespace(commands=[])


def python(code: str, *words: str) -> list[str]:
    return [*programs.PYTHON, "-c", code, *words]


def test_it_runs_until_the_end_and_is_recorded(session, tmp_path):
    ready = tmp_path / "ready"
    code = "import sys, time; print('hello'); sys.stdout.flush(); open(sys.argv[1], 'w'); time.sleep(600)"
    with background(session, python(code, str(ready)), name="server", ready=ready.exists) as running:
        assert ready.exists() and running.alive()
    assert not running.alive()
    [command] = session.commands
    assert (command.step, command.exit_code, command.stdout) == ("server", -signal.SIGTERM, "hello\n")
    assert command.seconds > 0 and command.argv[-1] == str(ready)


def test_its_processor_time_is_known_and_counts_as_ours(session, tmp_path):
    ready, before = tmp_path / "ready", load.cpu_times()
    code = BUSY.format(0.3) + "open(__import__('sys').argv[1], 'w')\n__import__('time').sleep(600)"
    with background(session, python(code, str(ready)), name="server", ready=ready.exists, ready_seconds=60) as running:
        used = running.cpu_seconds()
        assert used >= 0.29
        assert load.cpu_times().own - before.own >= used, "while it runs"
    assert load.cpu_times().own - before.own >= used and running.cpu_seconds() >= used, "and after its end, once"
    assert load.cpu_times().own - before.own < 2 * used + 5


def test_all_that_it_started_ends_with_it(session, tmp_path):
    noted = tmp_path / "child"
    with background(
        session, python(FAMILY, str(noted)), name="server", ready=lambda: noted.exists() and noted.read_text()
    ):
        child = int(noted.read_text())
        if not running_groups():
            pytest.skip(
                "no control group can be made here: what leaves its process group is only known inside a namespace"
            )
        assert Path(f"/proc/{child}").exists()
    assert ended(child)
    assert not running_groups()


def test_one_that_never_starts_says_why(session):
    with (
        pytest.raises(Failed, match="server ended with exit code 3: no port is free"),
        background(
            session, python("import sys; print('no port is free'); sys.exit(3)"), name="server", ready=lambda: False
        ),
    ):
        pytest.fail("it was never ready")
    assert session.commands[0].exit_code == 3


def test_one_that_is_not_ready_in_time_is_ended(session):
    with (
        pytest.raises(Failed, match="server was not ready after 0.2 s"),
        background(
            session, python("import time; time.sleep(600)"), name="server", ready=lambda: False, ready_seconds=0.2
        ),
    ):
        pytest.fail("it was never ready")
    assert len(session.commands) == 1


def test_of_one_that_dies_meanwhile_is_told_before_its_client(session):
    code = "import sys; sys.stdin = open(sys.argv[1]); sys.stdin.read(); sys.exit('out of buffers')"
    read, write = os.pipe()
    with (
        pytest.raises(
            Failed, match="server ended with exit code 1: out of buffers; meanwhile: client: connection refused"
        ),
        background(session, python(code, f"/proc/{os.getpid()}/fd/{read}"), name="server") as running,
    ):
        os.close(write)
        give_up = time.monotonic() + 30
        while running.alive() and time.monotonic() < give_up:
            time.sleep(0.01)
        raise Failed("client: connection refused")
    os.close(read)


def test_one_that_somebody_kills_is_no_result(session):
    with (
        pytest.raises(Broken, match="server was ended from outside by SIGKILL"),
        background(session, python("import time; time.sleep(600)"), name="server") as running,
    ):
        os.kill(running.process.pid, signal.SIGKILL)
        give_up = time.monotonic() + 30
        while running.alive() and time.monotonic() < give_up:
            time.sleep(0.01)


def test_one_that_will_not_end_is_killed(session, monkeypatch):
    monkeypatch.setattr(module, "STOP_SECONDS", 0.2)
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
    )
    with background(session, python(code), name="server", ready=lambda: True):
        time.sleep(0.5)
    assert session.commands[0].exit_code in (-signal.SIGKILL, -signal.SIGTERM)


def test_it_runs_as_nobody(session, tmp_path):
    code = "import os; print(os.getuid(), os.getgroups()); open('/etc/hosts', 'a')"
    with (
        pytest.raises(Failed, match="PermissionError"),
        background(session, python(code), name="server", user="nobody", ready=lambda: False),
    ):
        pytest.fail("it was never ready")
    assert session.commands[0].stdout.startswith("65534 [")


def test_kill_9_leaves_nothing_after_the_next_start(tmp_path):
    code = (
        "import sys, time; from types import SimpleNamespace as N; from pathlib import Path\n"
        "from spindlemark.core.process import programs; from spindlemark.testbeds.background import background\n"
        "noted = Path(sys.argv[2])\n"
        "with background(N(commands=[]), [*programs.PYTHON, '-c', sys.argv[1], str(noted)], name='server',\n"
        "                ready=lambda: noted.exists() and noted.read_text()):\n"
        "    print(noted.read_text(), flush=True)\n    time.sleep(600)\n"
    )
    driver = subprocess.Popen(
        [sys.executable, "-P", "-c", code, FAMILY, str(tmp_path / "child")], stdout=subprocess.PIPE, text=True
    )
    child = int(driver.stdout.readline())
    driver.kill()
    driver.wait()
    if not private_files.read_note(f"background-{driver.pid}"):
        os.kill(child, signal.SIGKILL)
        pytest.skip("no control group can be made here")
    assert Path(f"/proc/{child}").exists()
    module.end_leftovers()
    assert ended(child) and not private_files.read_note(f"background-{driver.pid}")


def running_groups() -> list[str]:
    return [name for name in private_files.read_note(f"background-{os.getpid()}") if Path(name).exists()]


def test_the_folder_of_a_killed_programs_server_is_removed_by_the_next_one(needs_root):
    script = (
        "import os, signal\nfrom spindlemark.testbeds import background\n"
        "folder = background.own_folder('nobody')\n(folder / 'log').touch()\nprint(folder, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=False)
    folder, own = Path(killed.stdout.strip()), module.own_folder("nobody")
    assert killed.returncode == -signal.SIGKILL and (folder / "log").exists() and own.stat().st_uid == 65534
    module.end_leftovers()
    assert not folder.exists() and own.exists(), "that of a program that runs stays"
    own.rmdir()
