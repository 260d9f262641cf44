"""The disk of the virtual machine on the host: unwritten before each repetition, with the requested size."""

import json
import os
import socket
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute
from spindlemark.testbeds import image
from spindlemark.testbeds.vm.machine import DISK

_LIMIT_SECONDS = 600
_ANSWER_SECONDS = 30


def renew(path: Path, testbed: str, size: int, control: Path) -> None:
    """Free all blocks, set the size and allocate it again, so that the image is like a new one; QEMU keeps it open.

    Raises UserError when the file is not ours or there is not enough space.
    """
    reason = image.problem(path, testbed)
    if reason is not None:
        raise UserError(f"{reason}; nothing was written", "move it away, then run again")
    present = path.stat().st_size
    done = execute(["fallocate", "--punch-hole", "--offset", "0", "--length", str(present), str(path)], _LIMIT_SECONDS)
    if done.exit_code:
        raise UserError(
            f"{path}: its filesystem cannot free blocks of a file: {done.stderr.strip()}",
            "name a directory on ext4, xfs, btrfs or tmpfs in config/testbeds/<name>.yaml",
        )
    if present != size:
        command(control, "block_resize", device=DISK, size=size)
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.posix_fallocate(descriptor, 0, size)
        os.fsync(descriptor)
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}", "free some space, or lower image_size in config/profiles/<profile>.yaml"
        ) from None
    finally:
        os.close(descriptor)


def command(control: Path, name: str, **arguments: object) -> object:
    """Send one command to QEMU's control socket; raises OSError without an answer, ValueError when QEMU refuses."""
    folder = os.open(control.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(_ANSWER_SECONDS)
            link.connect(f"/proc/self/fd/{folder}/{control.name}")  # the full path may be too long for a socket
            with link.makefile("rw", encoding="utf-8") as talk:
                talk.readline()  # its greeting
                for words in ({"execute": "qmp_capabilities"}, {"execute": name, "arguments": arguments}):
                    talk.write(json.dumps(words) + "\n")
                    talk.flush()
                    answer = _answer(talk)
    finally:
        os.close(folder)
    if "error" in answer:
        raise ValueError(f"QEMU refused {name}: {answer['error'].get('desc')}")
    return answer["return"]


def _answer(talk) -> dict:
    for line in talk:
        message = json.loads(line)
        if "return" in message or "error" in message:  # other messages are events
            return message
    raise OSError("QEMU closed its control socket")
