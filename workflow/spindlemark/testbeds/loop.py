"""Testbed kind `loop`: a loop device on a preallocated file, made for one repetition and removed after it.

A new image for each repetition was tried against a kept one (rewritten, or turned back to unwritten with fallocate
--zero-range): noise was the same or less, it costs about 0.1 s, and no repetition sees what an earlier one wrote.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from spindlemark.config import LoopTestbed, Throttle
from spindlemark.core import paths, private_files
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Failed
from spindlemark.core.record import Scalar
from spindlemark.testbeds import device, disk, guard, image, kernel, mountpoint, throttle, tuning, unmounting
from spindlemark.testbeds.kind import Kind, Run, Settings

TOOLS = {"losetup": "util-linux", "mount": "util-linux", "umount": "util-linux", "setpriv": "util-linux"}


@dataclass(frozen=True)
class LoopDevice(device.Device):
    """A loop device and the file behind it."""

    image: Path
    throttle: throttle.Limits | None

    def claimed(self) -> AbstractContextManager[str]:
        """Context that yields the device's node for one destructive command; see guard.claim."""
        return guard.claim(self.node, self.testbed)

    def counters(self) -> Mapping[str, Path]:
        """Files of the load sampler: this device and the disk below it."""
        below = kernel.disk_below(self.image.parent)[1]
        return {**super().counters(), **({"backing": disk.sysfs_of(below) / "stat"} if below else {})}

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the device and of what lies below it."""
        slowed = {
            f"device.throttle.{key}{'' if key.endswith('_requests') else '_bytes'}_per_second": value
            for key, value in (self.throttle or {}).items()
        }
        return {
            "device.kind": "loop",
            "device.bytes": self.size,
            "device.direct_io": disk.attribute(self.name, "loop/dio") == "1",
            "device.offset": disk.attribute(self.name, "loop/offset"),
            **slowed,
            **device.queue_facts("device", self.name),
            **device.backing_facts(self.image.parent),
        }


@contextmanager
def opened(name: str, declared: LoopTestbed, size: int, settings: Settings, run: Run) -> Iterator[LoopDevice]:
    """Make image and device, with the I/O scheduler that the factors ask for and as slow as the declaration says.

    `clean` takes them away again, so that a normal end and a crash go the same way. Raises UserError for what the user
    can mend.
    """
    kernel.own_mount_namespace()
    file = image.make(directory_of(declared), name, size)
    yield shown(name, file, declared.direct_io, declared.throttle, settings["scheduler"], run)


def shown(name: str, file: Path, direct_io: bool, limits: Throttle | None, scheduler: str, run: Run) -> LoopDevice:
    """The image as a device, with its scheduler and as slow as declared."""
    mount_point = mountpoint.own()
    mount_point.mkdir(exist_ok=True)
    node = _attached(name, file, direct_io, run)
    found = LoopDevice(
        node.name, name, node, mount_point, file.stat().st_size, file, limits.limits() if limits else None
    )
    if (disk.attribute(found.name, "loop/dio") == "1") != direct_io:
        raise UserError(
            f"{file.parent}: its filesystem cannot do direct I/O below a loop device",
            f"set direct_io: false in config/testbeds/{name}.yaml, or name another directory",
        )
    tuning.set_scheduler(name, found.name, scheduler)
    if found.throttle:
        with found.claimed() as claimed:
            throttle.slow_down(name, claimed, found.throttle)
    return found


def clean(name: str, declared: LoopTestbed) -> None:
    """Unmount, detach and delete everything that this testbed has or left; the caller holds its lock.

    Raises UserError when something is still in use after a minute.
    """
    take_away(name, directory_of(declared))


def take_away(name: str, directory: Path) -> None:
    """The same for the image in a folder."""
    ours = [loop for loop in kernel.loops() if _is_ours(loop, name, directory)]
    sources = {str(loop.node) for loop in ours}
    for mount in reversed(kernel.mounts()):  # those of a killed process are gone with its namespace
        if mount.source in sources:
            unmounting.until_free(["umount", str(mount.point)], f"{mount.point}: cannot be unmounted")
    # While the file is still attached: afterwards the device may be somebody else's.
    tuning.put_back(name)
    throttle.leave(name)
    for loop in ours:
        unmounting.until_free(["losetup", "--detach", str(loop.node)], f"{loop.node}: cannot be detached")
        unmounting.until(partial(_is_gone, loop), f"{loop.node}: stays attached to {loop.backing}")
    private_files.remove_note(_note(name))
    image.remove(directory, name)
    with suppress(OSError):  # not there
        mountpoint.own().rmdir()


def directory_of(declared: LoopTestbed) -> Path:
    """The testbed's folder; a relative one counts from the project's root."""
    return paths.ROOT / declared.directory


def device_facts(declared: LoopTestbed, size: int) -> dict:
    """The device part of the fingerprint: the same for two clones on one disk; a throttle only where there is one."""
    return {
        "kind": "loop",
        "bytes": size,
        "direct_io": declared.direct_io,
        **slowed(declared.throttle),
        "backing": device.backing_identity(directory_of(declared)),
    }


def slowed(throttled: Throttle | None) -> dict[str, dict[str, int]]:
    """The limits in a fingerprint."""
    return {"throttle": throttled.limits()} if throttled else {}


def _is_gone(loop: kernel.Loop) -> bool:
    """Whether the kernel shows the file no longer as this device."""
    return kernel.loop_of(loop.name) != loop


def _attached(name: str, file: Path, direct_io: bool, run: Run) -> Path:
    """Let the kernel show the file as a loop device, and return its node. What is attached is noted first."""
    direct, found = "on" if direct_io else "off", file.stat()
    noted = {"device": found.st_dev, "inode": found.st_ino}
    private_files.write_note(_note(name), noted)
    try:
        node = Path(run(["losetup", "--find", "--show", f"--direct-io={direct}", str(file)]).stdout.strip())
        private_files.write_note(
            _note(name), noted | {"loop": node.name, "sequence": disk.sequence(node.stat().st_rdev)}
        )
        return node
    except Failed as failed:
        raise UserError(
            f"{file}: cannot be attached to a loop device: {failed.reason}",
            "loop devices need the kernel's loop driver (modprobe loop) and, in a container, leave to use "
            "/dev/loop-control and /dev/loop*",
        ) from None


def _note(name: str) -> str:
    return f"image-{name}"


def _is_ours(loop: kernel.Loop, name: str, directory: Path) -> bool:
    """Whether its file is the testbed's image, also one that was renamed or deleted since it was attached."""
    if loop.backing.parent == directory.resolve() and image.complaint(loop.backing, name, loop.file) is None:
        return True
    noted = private_files.read_note(_note(name))
    if loop.file != (noted.get("device"), noted.get("inode")):
        return False
    # Its number may be a new file's by now: the mark tells, or that nothing else was attached to the device since.
    attached = {"loop": loop.name, "sequence": disk.sequence(loop.node.stat().st_rdev)}
    return attached.items() <= noted.items() or image.complaint(loop.backing, name, loop.file, renamed=True) is None


KIND = Kind(tools=TOOLS, opened=opened, clean=clean, device_facts=device_facts)
