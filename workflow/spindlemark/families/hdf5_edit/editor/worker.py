"""One edit in this process, which times itself: the start of Python takes a hundred times as long as a small edit.

What an edit takes is said as JSON: wall, user and system seconds from before the backup to after the last sync, and on
request the bytes of the filesystem that it takes at its worst moment (not of a timed edit: each look syncs).
"""

import argparse
import json
import mmap
import resource
import signal
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from spindlemark.core import durability
from spindlemark.core.durability import Durability
from spindlemark.core.errors import UserError, exit_on_user_error
from spindlemark.families.hdf5_edit.editor import atomicity, commands, copying, onion
from spindlemark.families.hdf5_edit.editor.atomicity import Watch

_COUNT = struct.Struct("<I")
_stopped = (
    threading.Event()
)  # no exception in the midst of anything: one in a callback of the library's would be ignored


def parser() -> argparse.ArgumentParser:
    """The words of the command, which `cli` has in common with it."""
    made = argparse.ArgumentParser(
        prog="spindlemark-h5edit",
        description="Edit the attributes of an HDF5 file.",
        epilog=("example: spindlemark-h5edit film.h5 -c edits.txt --atomic inc --backup aside"),
    )
    made.add_argument("file", type=Path, help="the HDF5 file")
    made.add_argument(
        "-c", "--command-file", type=Path, metavar="COMMANDS", help="the commands: CREATE, MODIFY, DELETE, RENAME, COPY"
    )
    made.add_argument(
        "--atomic",
        choices=durability.LEVELS,
        default=durability.YES,
        help="what holds when it ends early: nothing, all or no command (the default), or whole commands; swmr: what readers see meanwhile",
    )
    made.add_argument(
        "--backup",
        choices=durability.BACKUPS,
        help="the way of the backup; without it aside, and none for --atomic no and swmr",
    )
    made.add_argument(
        "--no-sync", action="store_true", help="do not wait for the disk: a power cut may take what was promised"
    )
    made.add_argument(
        "--libver", choices=durability.LIBVERS, default="earliest", help="the oldest file format that may be written"
    )
    made.add_argument("--json", action="store_true", help="say what it took")
    made.add_argument("--space", action="store_true", help="say the bytes taken at the worst moment too; slow")
    made.add_argument(
        "--acknowledge",
        type=Path,
        metavar="FILE",
        help="map this file of 4 bytes, and keep there how many commands are safe",
    )
    made.add_argument(
        "--unlock", action="store_true", help="open the history that a killed edit with --backup onion left locked"
    )
    made.add_argument(
        "--export", type=Path, metavar="OUT", help="write the newest revision of such a history as a plain file"
    )
    return made


def main(words: Sequence[str] | None = None) -> int:
    """Run the arguments; UserError for what the user can fix."""
    arguments = parser().parse_args(words)
    if arguments.unlock:
        onion.unlock(arguments.file)
    if arguments.export:
        _export(arguments.file, arguments.export)
    if arguments.command_file:
        took = _edit(arguments)
        if arguments.json or arguments.space:
            print(json.dumps(took), flush=True)
    elif not (arguments.unlock or arguments.export):
        raise UserError("no commands: -c is missing", parser().epilog or "")
    return 0


def _export(file: Path, target: Path) -> None:
    if not onion.history(file).exists():
        raise UserError(
            f"{onion.history(file)}: there is no such history", "name a file that was edited with --backup onion"
        )
    _require_replaceable(file, target)
    try:
        onion.export(file, target)
    except OSError as error:
        if error.filename:
            raise UserError(f"{error.filename}: {error.strerror}", "see that it can be written") from None
        raise UserError(f"{file}: {str(error).splitlines()[0]}", "a locked history is opened by --unlock") from None


def _require_replaceable(file: Path, target: Path) -> None:
    """Raise UserError unless `target` is absent or a regular file other than the edited one and its history."""
    try:
        found = target.lstat()
    except FileNotFoundError:
        return
    except OSError as error:  # a name that is too long
        raise UserError(f"{target}: {error.strerror}", "name another file") from None
    if not stat.S_ISREG(found.st_mode):
        raise UserError(f"{target}: is not a regular file", "name a new file")
    if any(target.samefile(own) for own in (file, onion.history(file))):
        raise UserError(f"{target}: is the edited file or its history", "name a new file")


def _edit(arguments: argparse.Namespace) -> dict[str, float | int]:
    found = commands.read(arguments.command_file)
    _require_file(arguments.file)
    backup = arguments.backup or (durability.NONE if arguments.atomic in durability.IN_THE_FILE else durability.ASIDE)
    chosen = Durability(arguments.atomic, backup, not arguments.no_sync, arguments.libver)
    folder = arguments.file.resolve().parent
    least, most = (copying.used_bytes(folder), [0]) if arguments.space else (0, [0])

    def fullest() -> None:
        if arguments.space:
            most.append(copying.used_bytes(folder) - least)

    with _acknowledged(arguments.acknowledge) as done:
        before, begun = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        try:
            atomicity.edit(arguments.file.resolve(), found, chosen, Watch(done, fullest, _go_on))
        except copying.NoReflinkError as error:
            raise UserError(f"{arguments.file}: no reflink: {error}", "use another way of the backup") from None
        except OSError as error:
            raise UserError(
                f"{error.filename or arguments.file}: {error.strerror or error}",
                "check that it is not a folder, and that it and its folder can be written",
            ) from None
        seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
    took = {
        "commands": len(found),
        "elapsed_seconds": seconds,
        "user_seconds": after.ru_utime - before.ru_utime,
        "system_seconds": after.ru_stime - before.ru_stime,
    }
    return took | ({"largest_bytes": max(most)} if arguments.space else {})


def _go_on() -> None:
    if _stopped.is_set():
        raise KeyboardInterrupt


def _require_file(path: Path) -> None:
    with suppress(OSError):  # of a name that is too long
        if path.is_file():
            return
    raise UserError(f"{path}: there is no such file", "name an HDF5 file")


@contextmanager
def _acknowledged(path: Path | None) -> Iterator[Callable[[int], None]]:
    """Keeps how many commands are safe in memory that outlives this process and costs no system call."""
    if path is None:
        yield lambda count: None
        return
    with ExitStack() as opened:
        try:
            file = opened.enter_context(path.open("r+b"))
            kept = opened.enter_context(mmap.mmap(file.fileno(), _COUNT.size))
        except (OSError, ValueError) as error:  # the latter where it is too short
            raise UserError(
                f"{path}: {getattr(error, 'strerror', None) or error}",
                f"name a file of {_COUNT.size} bytes that can be written",
            ) from None
        yield lambda count: _COUNT.pack_into(kept, 0, count)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: _stopped.set())
    try:
        with exit_on_user_error():
            sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
