"""Killed programs leave nothing below /run/spindlemark after the next clean-up, whatever the next one measures."""

import os
import signal
import subprocess
import sys

from spindlemark.core import private_files

# Everything that a program of ours keeps there; the last note is half written.
EVERYTHING = """
import os, signal
from spindlemark.core import private_files
from spindlemark.testbeds import background, kernel, memory_group, mountpoint, namespaces
kernel.own_mount_namespace()
(background.own_folder("nobody") / "log").touch()
for purpose in (mountpoint.MEASURED, mountpoint.RECORDED):
    mountpoint.own(purpose).mkdir()
namespaces.make(("server", "client"), "link01234567")
for name in (background._note(), memory_group._note()):
    private_files.write_note(name, {})
os.write = lambda *given: os.kill(os.getpid(), signal.SIGKILL)
private_files.write_note(f"net-{os.getpid()}", {})
"""


def test_all_that_a_killed_program_left_goes_with_the_next_clean_up_of_any_testbed(bed):
    bed.write(
        "testbeds",
        bed.testbed,
        {"description": "One", "kind": "processor", "memory": str(bed.memory), "busy_bound": 0.1},
    )
    before = set(private_files.RUN.iterdir())
    killed = subprocess.run(
        [sys.executable, "-P", "-c", EVERYTHING], env=os.environ, capture_output=True, text=True, timeout=300
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(set(private_files.RUN.iterdir()) - before) >= 7
    bed.clean()
    left = set(private_files.RUN.iterdir()) - before
    assert {path.name for path in left} <= {"machine.lock"}
