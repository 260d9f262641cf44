"""The label that this program writes on a disk when the user consents. Later runs recognise the disk by it.

Design. The label is the first sector; the rest of the first MiB and the last MiB are zero. Measurements use a partition
between the two, which exists only in the kernel (see layout.py): no partition table is written. Therefore:

- No tool gets a device on which it could overwrite the label. It is written once, by the command with which the user
  consents, and stays: after a crash at any step, also in mkfs, the disk is recognised.
- Data of measurements are inside the partition, where no probe of the whole disk finds them. A signature found on the
  whole disk is therefore never ours: one rule refuses every foreign partition table, filesystem, RAID or swap.
- Nothing has to be restored after a repetition, and the program never guesses from a filesystem whether a disk is ours.

The label contains serial number, model and size of the disk, so a copy on another disk is refused. For disks that report
the same values, the machine keeps the number of each label that it wrote (see label_notes.py). Erasing needs both the
label and that note; where the note is lost, the user has to consent again. A sector is written completely or not at all.
A damaged label is refused: the user wipes the first MiB and consents again. A filesystem's UUID would not do: it is not
written yet when mkfs crashes, and some filesystems have none.
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
from spindlemark.testbeds.inspected_device import Expected, InspectedDevice

MAGIC = b"SPINDLEMARK DISK"
SECTOR = 512
HEAD = blank_check.AREA  # bytes at the start that belong to the label
_DIGEST = hashlib.sha256().digest_size
# The last two bytes stay zero, because a boot record has its signature there.
_TEXT = SECTOR - len(MAGIC) - _DIGEST - 2
_BLKGETSIZE64 = 0x80081272  # linux/fs.h


class DamagedError(Exception):
    """A sector that begins like a label and is not a valid one."""


class Label(Closed):
    """The content of a label."""

    label_format: int = Field(default=1, ge=1, le=1)
    uuid: str
    testbed: str
    serial: str
    model: str | None
    bytes: int
    written: datetime


def packed(label: Label) -> bytes:
    """The first sector: magic, SHA-256 of the rest, JSON, zeros. Raises UserError when the text is too long."""
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

    Raises DamagedError when the label or the zeros around it are damaged, UserError when they cannot be read.
    """
    with path.open("rb", buffering=0) as device:
        head = blank_check.read(device, 0, HEAD)
        if not head.startswith(MAGIC):
            return None
        tail = blank_check.read(device, device.seek(-HEAD, os.SEEK_END), HEAD)
    digest, body = head[len(MAGIC) : len(MAGIC) + _DIGEST], head[len(MAGIC) + _DIGEST : SECTOR]
    if hashlib.sha256(body).digest() != digest:
        raise DamagedError("its label is damaged: the checksum does not match")
    try:
        label = Label.model_validate_json(body.rstrip(b"\0"))
    except ValidationError as error:
        raise DamagedError(f"its label was not written by this version: {error.errors()[0]['msg']}") from None
    if any(head[SECTOR:]) or any(tail):
        raise DamagedError("another program wrote data next to its label")
    return label


def problem(label: Label, expected: Expected, testbed: str | None) -> str | None:
    """Say why the label does not belong to the declared disk (and to `testbed`); None when it does."""
    if (label.serial, label.model, label.bytes) != (expected.serial, expected.model, expected.size):
        return "its label was written on another disk and copied here"
    if testbed is not None and label.testbed != testbed:
        return f"the user consented for the testbed {label.testbed}, not for this one"
    return None


def write(device: InspectedDevice) -> Label:
    """Write the label. The caller holds the guard's claim; the open descriptor is checked once more."""
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
            raise UserError(
                f"{device.path}: another program wrote on it meanwhile; nothing was written", "run it again"
            )
        label_notes.note(label.uuid, device.name)
        os.pwrite(descriptor, sector, 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return label
