"""The label that this program writes on a disk when the user consents, and by which later runs know it again.

Design. The label is the first sector; the rest of the first MiB and the last MiB are zero. What is measured gets a
partition between the two, which exists only in the kernel (see layout.py): no partition table is written. So

- no tool ever gets a device on which it could reach the label. It is written once, by the command with which the user
  consents, and stays whatever happens later: after a crash at any step, in the middle of mkfs too, the disk is known;
- what measuring leaves lies inside the partition, where no probe of the whole disk finds it. A signature found on the
  whole disk is therefore never ours: one rule refuses every foreign partition table, filesystem, RAID or swap;
- nothing has to be put back after a repetition, and there is no state in which "ours" is guessed from what a filesystem
  looks like.

It names the disk by serial number, model and size, so a copy of it on a disk that tells others is worth nothing. For
disks that tell the same, the machine keeps the number of each label that it wrote (see noted.py): neither the label
alone nor that note lets anything be erased, and where the note is lost, the user is only asked again. One sector is
written whole or not at all; a damaged one is refused, and the user says again that the disk may be erased after wiping
its first MiB. A filesystem's UUID is not there yet when a crash hits mkfs, and some filesystems have none.
"""

import fcntl
import hashlib
import os
import struct
import uuid
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field, ValidationError

from spindlemark.core.errors import UserError
from spindlemark.core.record import Closed
from spindlemark.testbeds import blank_check, disk, label_notes
from spindlemark.testbeds.candidate import Candidate, Expected

MAGIC = b"SPINDLEMARK DISK"
SECTOR = 512
HEAD = blank_check.AREA  # bytes at the start that belong to the label
_DIGEST = hashlib.sha256().digest_size
# The last two bytes stay zero: that is where a boot record has its signature.
_TEXT = SECTOR - len(MAGIC) - _DIGEST - 2
_BLKGETSIZE64 = 0x80081272  # linux/fs.h


class DamagedError(Exception):
    """Something begins like a label and is none."""


class Label(Closed):
    """What it says."""

    label_format: int = Field(default=1, ge=1, le=1)
    uuid: str
    testbed: str
    serial: str
    model: str | None
    bytes: int
    written: datetime


def packed(label: Label) -> bytes:
    """The first sector: magic, SHA-256 of what follows, JSON, zeros. Raises UserError when it does not fit."""
    text = label.model_dump_json().encode()
    if len(text) > _TEXT:
        raise UserError(
            f"config/testbeds/{label.testbed}.yaml: name, serial and model are too long for a label",
            "give the testbed a shorter name",
        )
    body = text.ljust(_TEXT + 2, b"\0")
    return MAGIC + hashlib.sha256(body).digest() + body


def read(path: Path) -> Label | None:
    """The label of a disk, None where there is none.

    Raises DamagedError when it or its surroundings are not whole, UserError when they cannot be read.
    """
    with path.open("rb", buffering=0) as device:
        head = blank_check.read(device, 0, HEAD)
        if not head.startswith(MAGIC):
            return None
        tail = blank_check.read(device, device.seek(-HEAD, os.SEEK_END), HEAD)
    digest, body = head[len(MAGIC) : len(MAGIC) + _DIGEST], head[len(MAGIC) + _DIGEST : SECTOR]
    if hashlib.sha256(body).digest() != digest:
        raise DamagedError("its label is damaged: the checksum does not fit")
    try:
        label = Label.model_validate_json(body.rstrip(b"\0"))
    except ValidationError as error:
        raise DamagedError(f"its label is not one that this version writes: {error.errors()[0]['msg']}") from None
    if any(head[SECTOR:]) or any(tail):
        raise DamagedError("something was written beside its label by another program")
    return label


def complaint(label: Label, expected: Expected, testbed: str | None) -> str | None:
    """Why the label is not that of the declared disk (and of `testbed`); None when it is."""
    if (label.serial, label.model, label.bytes) != (expected.serial, expected.model, expected.size):
        return "its label was written on another disk and copied here"
    if testbed is not None and label.testbed != testbed:
        return f"it was consented to for the testbed {label.testbed}, not for this one"
    return None


def write(device: Candidate) -> Label:
    """Write the label. The caller holds the guard's claim; what matters most is asked again of the open descriptor."""
    expected = device.declared
    label = Label(
        uuid=str(uuid.uuid4()),
        testbed=device.testbed,
        serial=expected.serial,
        model=expected.model,
        bytes=expected.size,
        written=datetime.now(UTC),
    )
    sector = packed(label)
    flags = os.O_RDWR | os.O_EXCL | os.O_SYNC | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(device.node, flags)
    try:
        number = os.fstat(descriptor).st_rdev
        size = struct.unpack("=Q", fcntl.ioctl(descriptor, _BLKGETSIZE64, bytes(8)))[0]
        if (number, size) != (device.number, expected.size) or disk.sequence(number) != device.sequence:
            raise UserError(f"{device.path}: another device took its place; nothing was written", "run it again")
        head = os.pread(descriptor, HEAD, 0)
        if any(head) and not head.startswith(MAGIC):
            raise UserError(f"{device.path}: somebody wrote on it meanwhile; nothing was written", "run it again")
        label_notes.note(label.uuid, device.name)
        os.pwrite(descriptor, sector, 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return label
