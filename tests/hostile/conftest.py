"""Loop devices presented as disks: with a name in /dev/disk/by-id, serial number and model where udev keeps them.

The kernel gives a loop device no serial number. udev's database is where the program looks when the kernel has none,
and it is a folder of files; so that neither it nor /dev/disk is changed for the machine, both are covered by an empty
memory filesystem in a mount namespace of the tests' own.
"""

import ctypes
import fcntl
import os
import subprocess
import uuid
from contextlib import contextmanager
from pathlib import Path

import pytest

from disks import BY_ID, UDEV, Disk, call
from spindlemark.core.private_files import STATE
from spindlemark.core.process.lock import file_lock
from spindlemark.testbeds import kernel

_CLONE_FS, _CLONE_NEWNS = 0x00000200, 0x00020000
_LOOP_CTL_REMOVE = 0x4C81
# Not among root's notes: each suite that `./spindlemark test` starts has those for itself.
_TURN, _LONGEST_SECONDS = Path("/run/spindlemark-tests/hostile.lock"), 6 * 3600  # of others that run slowly


@pytest.fixture(scope="module")
def private():
    """A mount namespace with an empty /dev/disk/by-id, an empty udev database and nothing noted of the machine."""
    if os.geteuid() != 0:
        pytest.skip("attaching a loop device needs root")
    # Taking a folder away takes its mount away in every namespace: two suites on one machine take turns.
    with file_lock(_TURN, "the folder of disks", _LONGEST_SECONDS, "hostile tests"), _folders(), _inside():
        yield


@contextmanager
def _folders():
    """The folders to cover; those that are not there are made, and taken away in the end."""
    made = [folder for folder in (BY_ID.parent, BY_ID, UDEV.parent, UDEV) if not folder.exists()]
    try:
        for folder in (BY_ID, UDEV, STATE):
            folder.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in reversed(made):
            folder.rmdir()


@contextmanager
def _inside():
    """A mount namespace in which they are covered; in the end this process is back in the one that it came from."""
    here, root = Path.cwd(), os.open("/", os.O_RDONLY)
    outside = os.open("/proc/thread-self/ns/mnt", os.O_RDONLY)
    try:
        kernel.own_mount_namespace()
        for folder in (BY_ID, UDEV, STATE):
            call("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
        yield
    finally:
        libc = ctypes.CDLL(None)
        # Not shared with a thread that was joined and is still ending: the kernel refuses a shared one.
        assert libc.unshare(_CLONE_FS) == 0
        assert libc.setns(outside, _CLONE_NEWNS) == 0
        os.fchdir(root)  # entering a namespace leaves a changed root
        os.chroot(".")
        os.chdir(here)
        os.close(root)
        os.close(outside)


@pytest.fixture
def disks(private, tmp_path):
    """Make disks; in the end all are taken away."""
    made: list[Disk] = []

    def make(size: int = 16 << 20, **how) -> Disk:
        made.append(Disk(tmp_path / f"disk{len(made)}.img", size, **how))
        return made[-1]

    yield make
    for disk in made:
        disk.remove()


@pytest.fixture
def disk(disks):
    """An empty disk that may be consented to."""
    return disks()


@pytest.fixture
def pulled(disks):
    """A disk whose number nobody else takes while no file is attached to it: far above those that are given out."""
    disk = disks(number=1000 + os.getpid() % 1000)
    yield disk
    disk.remove()
    with Path("/dev/loop-control").open("rb") as control:
        fcntl.ioctl(control, _LOOP_CTL_REMOVE, int(disk.node.name.removeprefix("loop")))


@pytest.fixture
def attached():
    """Attach files to loop devices; all are detached in the end."""
    made = []

    def attach(file, *options):
        made.append(call("losetup", "--find", "--show", *options, file))
        return Path(made[-1])

    yield attach
    for node in made:
        subprocess.run(["losetup", "--detach", node], check=False, stderr=subprocess.DEVNULL)


@pytest.fixture
def testbed(needs_root):
    return f"test-{uuid.uuid4().hex[:8]}"
