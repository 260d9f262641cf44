"""Commands as a person types them: on a terminal, with an answer to the one question."""

import os
import pty
import select
import signal
import sys
import time


def on_a_terminal(project, answer, *words, until=None):
    """Run a command as a user at a terminal does who types `answer` at the question, and Ctrl-C when `until` appears.

    Returns the exit code and all output.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(project.root)
        env = {key: value for key, value in os.environ.items() if key != "CI"}
        env |= {
            "SPINDLEMARK_ROOT": str(project.root),
            "COLUMNS": "160",
            "TERM": "dumb",
            "PYTHONPATH": str(project.root / "workflow"),
        }
        os.execvpe(sys.executable, [sys.executable, "-m", "spindlemark", *words], env)
    out, answered, give_up = "", False, time.monotonic() + 120
    try:
        while time.monotonic() < give_up:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                out += os.read(terminal, 65536).decode(errors="replace")
            except OSError:  # the other side is closed
                break
            if not answered and "Type its serial number" in out:
                answered = True
                os.write(terminal, f"{answer}\n".encode())
            if until and until in out:
                until = os.write(terminal, b"\x03") and None
    finally:
        os.close(terminal)
        if time.monotonic() >= give_up:
            os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out
