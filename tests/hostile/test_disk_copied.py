"""Labels that were copied to another disk which tells the same serial number, model and size."""

import os
import shutil
import uuid

import pytest
import yaml

from disks import MIB, TESTBED, call, refused
from foreign import films
from on_terminal import on_a_terminal
from project import Project
from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.testbeds import guard, label, layout

LABELS = private_files.STATE / "labels"


def taken(disk):
    """The disk is one that a run would erase without asking."""
    with guard.claim(disk.expected.link, TESTBED, guard.BLOCK, disk.expected):
        return True


@pytest.fixture
def twins(disks):
    """A disk that was consented to, unplugged since, and a copy of it, which tells the same of itself."""
    ours = disks(serial="0123456789")
    ours.consent()
    head = ours.read(MIB)
    ours.remove()
    copy = disks(serial="0123456789")
    copy.write(head)
    copy.write(films(14 * MIB), MIB)
    return ours, copy


def test_our_label_on_a_disk_with_the_same_serial_number(twins):
    _, copy = twins
    refused(copy, "is known here: its label was written on another disk", first=guard.BLOCK)


def test_our_label_on_a_disk_with_the_same_serial_number_on_another_machine(twins):
    _, copy = twins
    shutil.rmtree(LABELS)
    refused(copy, "is known here: its label is not known on this machine", first=guard.BLOCK)


def test_a_divided_disk_whose_label_is_not_known(disk):
    """Between two commands of a repetition too."""
    disk.consent()
    layout.add(disk.node.name, 8 * MIB)
    try:
        shutil.rmtree(LABELS)
        refused(disk, "is known here: its label is not known on this machine", first=guard.PARTITIONED)
    finally:
        layout.remove(disk.node.name)


def test_the_remedy_for_a_label_that_is_not_known_is_to_ask_again(disk):
    written = disk.consent()
    assert taken(disk)
    (LABELS / written.uuid).unlink()
    with pytest.raises(UserError) as told:
        taken(disk)
    assert told.value.remedy.endswith(f"sudo ./spindlemark run --testbed {TESTBED} --erase {disk.serial}")
    assert disk.consent().uuid != written.uuid
    assert taken(disk)


def test_consent_to_the_copy_is_none_to_what_it_was_copied_from(twins, disks):
    ours, copy = twins
    copy.consent()
    assert taken(copy)
    copy.remove()
    again = disks(serial="0123456789")
    again.write(ours.file.read_bytes())
    refused(again, "on another disk, or before it was disconnected and connected again", first=guard.BLOCK)


@pytest.mark.parametrize("number", ["", ".", "../labels", "/etc/hostname", "not-a-number", "\0", "x" * 100])
def test_a_label_whose_number_is_a_path(disk, number):
    written = disk.consent()
    disk.write(label.packed(written.model_copy(update={"uuid": number})))
    refused(disk, "is not known on this machine", first=guard.BLOCK)


def test_what_is_noted_belongs_to_root_alone(disk):
    written = disk.consent()
    assert LABELS.stat().st_mode & 0o777 == 0o700 and (LABELS / written.uuid).stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in LABELS.iterdir() if written.uuid in entry.name] == [written.uuid]


@pytest.mark.parametrize("folder", [LABELS, private_files.STATE])
def test_nothing_is_written_where_somebody_else_could_note_it(disk, folder):
    LABELS.mkdir(exist_ok=True)
    os.chown(folder, 12345, 12345)
    try:
        before = disk.checksum()
        with pytest.raises(UserError, match="belongs to another user"):
            disk.consent()
        assert disk.checksum() == before
    finally:
        os.chown(folder, 0, 0)


def test_nothing_is_written_when_it_cannot_be_noted(disk):
    before = disk.checksum()
    call("mount", "-o", "remount,ro", private_files.STATE)
    try:
        with pytest.raises(UserError, match="Read-only file system; nothing was written"):
            disk.consent()
    finally:
        call("mount", "-o", "remount,rw", private_files.STATE)
    assert disk.checksum() == before


def test_a_run_asks_again_where_the_label_is_not_known(disks, tmp_path):
    disk, project = disks(400 * MIB), Project(tmp_path / "project")
    declared = {
        "description": "A disk",
        "kind": "block",
        "device": str(disk.link),
        "serial": disk.serial,
        "model": disk.model,
        "size": disk.size,
        "erase": disk.serial,
        "scheduler": "none",
        "source_directory": "/dev/shm",
        "busy_bound": 0.1,
    }
    project.write("config/testbeds/disk.yaml", yaml.safe_dump(declared))
    project.replace("config/config.yaml", "testbed: loop", "testbed: disk")
    number = disk.consent().uuid
    assert "yes, it has the label" in project.call("plan")
    (LABELS / number).unlink()
    before = disk.checksum()
    assert "when you confirm it" in project.call("plan")
    assert f"--erase {disk.serial}" in project.call("run", code=2)
    assert disk.checksum() == before
    code, out = on_a_terminal(project, disk.serial, "run", until="now has this program's label")
    assert code == 130 and label.read(disk.node).uuid != number, out
    assert uuid.UUID(label.read(disk.node).uuid) and "yes, it has the label" in project.call("plan")
