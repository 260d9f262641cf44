"""Crashes of a process: killed by strace at the entry of each of its write-like system calls, one call after another.

strace counts calls of one name in one process, so that a point is a name and a number. It does not filter by seccomp-bpf,
which would turn injection off. A point is before the call: what the call would have done has not happened. What shares of points
show and what they do not is in outcomes.py.
"""

import json
import re
import select
import shutil
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from spindlemark.core.outcome import Broken, Failed
from spindlemark.core.process import programs
from spindlemark.families.hdf5_edit.crash.recovery_states import Found, Known, dumped, judge

STRACE, PACKAGE = "strace", "strace"
CALLS = (
    "write",
    "pwrite64",
    "writev",
    "pwritev",
    "pwritev2",
    "ftruncate",
    "truncate",
    "fallocate",
    "copy_file_range",
    "sendfile",
    "ioctl",
    "fsync",
    "fdatasync",
    "msync",
    "fchmod",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
)
KILLED = -9
LIMIT_SECONDS, GRACE_SECONDS = 120, 60
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\(")


class Point(NamedTuple):
    """The entry of the `number`th call of a name."""

    call: str
    number: int


class Crash(NamedTuple):
    """What one point left. `ended` is how the edit did: KILLED where it died of it."""

    point: Point
    ended: int
    acknowledged: int
    found: Found


@dataclass(frozen=True)
class Edit:
    """An edit of the file in `folder`, which is made from `original` for each point; `words` are those of the worker."""

    original: Path
    folder: Path
    words: Sequence[str]

    @property
    def file(self) -> Path:
        """The file that is edited."""
        return self.folder / "file.h5"

    @property
    def count(self) -> Path:
        """Where the edit says how many commands are safe."""
        return self.folder.with_name(f"{self.folder.name}.count")

    def renew(self) -> None:
        """A folder with the file as it was before."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        shutil.copyfile(self.original, self.file)
        self.count.write_bytes(bytes(4))

    def acknowledged(self) -> int:
        """How many commands were said to be safe."""
        return struct.unpack("<I", self.count.read_bytes())[0]

    def argv(self) -> list[str]:
        """The words, with the file."""
        return [str(self.file), *self.words, "--acknowledge", str(self.count)]


class Editor:
    """Edits one after another, each traced by a strace of its own."""

    def __init__(self, process: programs.Process, limit: float) -> None:
        self._process, self._limit = process, limit
        assert process.stdin and process.stdout  # both are pipes
        self._requests, self._results = process.stdin, process.stdout
        self._answers = select.poll()
        self._answers.register(self._results, select.POLLIN | select.POLLHUP)

    def run(self, edit: Edit, trace: Sequence[str]) -> int:
        """One edit from the begin, under strace with the words of `trace`; how it ended. Raises Broken."""
        edit.renew()
        pid = self._ask(json.dumps(edit.argv()))
        tracer = programs.start([STRACE, "-y", "-p", str(pid), *trace], stderr=programs.PIPE, text=True)
        try:
            assert tracer.stderr  # a pipe
            first = tracer.stderr.readline()
            if "attached" not in first:
                raise Broken(f"strace does not trace here: {first.strip()}")
            return self._ask("")
        finally:
            try:
                tracer.communicate(timeout=LIMIT_SECONDS)
            except programs.TimeoutExpired:
                tracer.kill()
                tracer.communicate()
                raise Broken("strace did not end") from None

    def plain(self, words: Sequence[str]) -> int:
        """One edit without a trace; how it ended."""
        self._ask(json.dumps(list(words)))
        return self._ask("")

    def _ask(self, line: str) -> int:
        self._requests.write(f"{line}\n")
        self._requests.flush()
        if not self._answers.poll(
            1000 * (self._limit + GRACE_SECONDS)
        ):  # it ends edits that last longer than the limit itself
            self._process.kill()
            raise Broken("the editors' process does not answer")
        answer = self._results.readline()
        if not answer:
            raise Broken("the editors' process is gone")
        return int(answer)


@contextmanager
def editor(limit: float = LIMIT_SECONDS) -> Iterator[Editor]:
    """A process that edits on request, each edit for `limit` seconds at most; it ends with what it is asked by."""
    argv = [
        "setpriv",
        "--pdeathsig=KILL",
        "--",
        *programs.PYTHON,
        "-m",
        "spindlemark.families.hdf5_edit.crash.edit_server",
        str(limit),
    ]
    process = programs.start(argv, stdin=programs.PIPE, stdout=programs.PIPE, stderr=programs.DEVNULL, text=True)
    try:
        yield Editor(process, limit)
    finally:
        assert process.stdin  # a pipe
        process.stdin.close()
        try:
            process.wait(LIMIT_SECONDS)
        except programs.TimeoutExpired:
            process.kill()
            process.wait()


def points(editing: Editor, edit: Edit, trace: Path) -> list[Point]:
    """All points of an edit, from a whole one; only calls that name its folder. Raises Failed where it does not end well."""
    code = editing.run(edit, ["-e", f"trace={','.join(CALLS)}", "-o", str(trace)])
    if code:
        raise Failed(f"the edit without a kill ended with exit code {code}")
    counts: dict[str, int] = {}
    found = []
    for line in trace.read_text(errors="replace").splitlines():
        if match := _CALL.match(line):
            counts[match[1]] = counts.get(match[1], 0) + 1
            if str(edit.folder) in line:
                found.append(Point(match[1], counts[match[1]]))
    return found


def crash(editing: Editor, edit: Edit, point: Point, known: Known) -> Crash:
    """Kill an edit at a point and judge what it left."""
    code = editing.run(
        edit,
        ["-o", "/dev/null", "-e", f"trace={point.call}", "-e", f"inject={point.call}:signal=KILL:when={point.number}"],
    )
    found = judge(edit.file, known, edit.acknowledged(), edit.folder.with_name("judged"), editing.plain)
    return Crash(point, code, edit.acknowledged(), found)


def states(editing: Editor, edit: Edit, parts: Sequence[Path], libver: str) -> list[str]:
    """What h5dump says after 0, 1, ... all `parts`, each a file of one command. Raises Failed where one changes nothing."""
    texts = [dumped(edit.original)]
    edit.renew()
    for part in parts:
        code = editing.plain([str(edit.file), "-c", str(part), "--atomic", "no", "--libver", libver])
        texts.append(dumped(edit.file))
        if code or texts[-1] is None or texts[-1] in texts[:-1]:
            raise Failed(f"{part.name}: its effect is not seen by h5dump -A")
    return [text for text in texts if text is not None]
