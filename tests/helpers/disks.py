"""A loop device that looks like a disk, and the one assertion of the suite: refused, and not one byte changed."""

import hashlib
import os
import subprocess
import time
import uuid
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from spindlemark.core.errors import UserError
from spindlemark.testbeds import guard, inspected_device, kernel, label
from spindlemark.testbeds.inspected_device import Expected

BY_ID, UDEV = Path("/dev/disk/by-id"), Path("/run/udev/data")
MIB = 1 << 20
TESTBED = "disk"


def freed(name: str, backing: Path) -> bool:
    """Whether loop device `name` has let go of the file `backing`, or of all files below that folder.

    Another program may have got the number since.
    """
    found = kernel.loop_of(name)
    return found is None or not found.backing.is_relative_to(backing)


def call(*argv, **how):
    words = [str(word) for word in argv]
    return subprocess.run(words, check=True, capture_output=True, text=True, **how).stdout.strip()


class Disk:
    """Attributes that tests change before they ask the guard: expected (what is declared), link, file, node."""

    def __init__(
        self,
        file: Path,
        size: int,
        serial: str | None = None,
        model: str | None = "Test Disk",
        *,
        options: tuple[str, ...] = ("--partscan",),
        number: int | None = None,
    ) -> None:
        self.file, self.serial, self.model, self.size = file, serial or f"T{uuid.uuid4().hex[:12]}", model, size
        if not file.exists():
            with file.open("wb") as new:
                new.truncate(size)
        where = "--find" if number is None else f"/dev/loop{number}"
        self.node = Path(call("losetup", "--show", *options, where, file))
        self.link = BY_ID / f"test-{self.serial}-{self.node.name}"
        self.link.symlink_to(f"../../{self.node.name}")
        self.tell(self.serial, model)
        self.expected = Expected(self.link, self.serial, model, size, self.serial)

    def tell(self, serial: str | None, model: str | None) -> None:
        """Let udev's database say this serial number and model of the device."""
        said = {"ID_SERIAL_SHORT": serial, "ID_MODEL": model}
        number = Path(f"/sys/class/block/{self.node.name}/dev").read_text().strip()
        (UDEV / f"b{number}").write_text("".join(f"E:{key}={value}\n" for key, value in said.items() if value))

    def declare(self, **changes) -> None:
        """Change what is declared."""
        self.expected = replace(self.expected, **changes)

    def rename(self, link: Path) -> None:
        self.declare(link=link)

    def write(self, data: bytes, offset: int = 0) -> None:
        with self.node.open("r+b", buffering=0) as device:
            device.seek(offset if offset >= 0 else self.size + offset)
            device.write(data)
            os.fsync(device.fileno())

    def read(self, count: int, offset: int = 0) -> bytes:
        with self.node.open("rb", buffering=0) as device:
            device.seek(offset)
            return device.read(count)

    def consent(self, testbed: str = TESTBED) -> label.Label:
        """What the program does when the user says yes."""
        with guard.claim(self.expected.link, testbed, guard.BLANK, self.expected):
            return label.write(inspected_device.inspect(self.expected.link, testbed, self.expected))

    def checksum(self) -> str:
        """Of every byte of the device; what was written and is still in memory counts."""
        with self.node.open("rb") as device:
            return hashlib.file_digest(device, "sha256").hexdigest()

    def remove(self) -> None:
        """The kernel keeps write protection of a loop device for its next file: it is taken off first."""
        subprocess.run(["blockdev", "--setrw", str(self.node)], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["losetup", "--detach", str(self.node)], check=False, stderr=subprocess.DEVNULL)
        self.link.unlink(missing_ok=True)


def refused(disk: Disk, reason: str, *others: Disk, first: tuple = guard.BLANK, testbed: str = TESTBED) -> None:
    """Nobody can write on the disk: not the consent, not a repetition, not a command on a part of it.

    `reason` is what the `first` list of checks must say; no byte of the disk or of the `others` may change.
    """
    os.sync()  # else the kernel writes later what a test wrote to a mounted filesystem before
    before = [one.checksum() for one in (disk, *others)]
    for checks in (guard.BLOCK, guard.PARTITIONED):
        claim = guard.claim(disk.expected.link, testbed, checks, disk.expected)
        with pytest.raises(UserError, match=reason if checks is first else None), claim as node:
            call("mkfs.ext4", "-q", "-F", node)
    if first is guard.BLANK:
        with pytest.raises(UserError, match=reason):
            disk.consent(testbed)
    assert [one.checksum() for one in (disk, *others)] == before


@contextmanager
def running(*argv, **how):
    """A process for as long as the context lasts."""
    process = subprocess.Popen([str(word) for word in argv], **how)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_for(path: Path) -> None:
    give_up = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < give_up
        time.sleep(0.02)
