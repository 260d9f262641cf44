"""Testbed kind `loop`: a loop device on a preallocated file, made for one repetition and removed after it.

A new image for each repetition was compared with a reused one (rewritten, or reset to unwritten with fallocate
--zero-range): the noise was the same or less, it costs about 0.1 s, and no repetition sees data of an earlier one.
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
from spindlemark.testbeds import device, disk, guard, image, kernel, kernel_settings, mountpoint, retry, throttle
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
        """Environment fields of the device and of the disk below it."""
        throttle_facts = {
            f"device.throttle.{key}{'' if key.endswith('_requests') else '_bytes'}_per_second": value
            for key, value in (self.throttle or {}).items()
        }
        return {
            "device.kind": "loop",
            "device.bytes": self.size,
            "device.direct_io": disk.attribute(self.name, "loop/dio") == "1",
            "device.offset": disk.attribute(self.name, "loop/offset"),
            **throttle_facts,
            **device.queue_facts("device", self.name),
            **device.backing_facts(self.image.parent),
        }


@contextmanager
def opened(name: str, declared: LoopTestbed, size: int, settings: Settings, run: Run) -> Iterator[LoopDevice]:
    """Make image and device, with the requested I/O scheduler and the declared limits of its speed.

    `clean` removes them, after a normal end as after a crash. Raises UserError for what the user can fix.
    """
    kernel.own_mount_namespace()
    file = image.make(directory_of(declared), name, size)
    yield attach(name, file, declared.direct_io, declared.throttle, settings["scheduler"], run)


def attach(name: str, file: Path, direct_io: bool, limits: Throttle | None, scheduler: str, run: Run) -> LoopDevice:
    """Attach the image to a loop device, set its scheduler and limit its speed."""
    mount_point = mountpoint.own()
    mount_point.mkdir(exist_ok=True)
    node = _attached(name, file, direct_io, run)
    throttle.clear(node)
    found = LoopDevice(
        node.name, name, node, mount_point, file.stat().st_size, file, limits.limits() if limits else None
    )
    if (disk.attribute(found.name, "loop/dio") == "1") != direct_io:
        raise UserError(
            f"{file.parent}: its filesystem does not support direct I/O of a loop device",
            f"set direct_io: false in config/testbeds/{name}.yaml, or name another directory",
        )
    kernel_settings.set_scheduler(name, found.name, scheduler)
    if found.throttle:
        with found.claimed() as claimed:
            throttle.apply(name, claimed, found.throttle)
    return found


def clean(name: str, declared: LoopTestbed) -> None:
    """Unmount, detach and delete everything that this testbed made or left; the caller holds its lock.

    Raises UserError when something is still in use after a minute.
    """
    remove(name, directory_of(declared))


def remove(name: str, directory: Path) -> None:
    """Clean up the testbed whose image is in `directory`; see `clean`."""
    ours = [loop for loop in kernel.loops() if _is_ours(loop, name, directory)]
    sources = {str(loop.node) for loop in ours}
    for mount in reversed(kernel.mounts()):  # those of a killed process are gone with its namespace
        if mount.source in sources:
            retry.until_success(["umount", str(mount.point)], f"{mount.point}: cannot be unmounted")
    # Before the file is detached: afterwards another program may use the device.
    kernel_settings.restore(name)
    throttle.remove_group(name)
    for loop in ours:
        retry.until_success(["losetup", "--detach", str(loop.node)], f"{loop.node}: cannot be detached")
        retry.until(partial(_is_gone, loop), f"{loop.node}: stays attached to {loop.backing}")
    private_files.remove_note(_note(name))
    image.remove(directory, name)
    with suppress(OSError):  # not there
        mountpoint.own().rmdir()


def directory_of(declared: LoopTestbed) -> Path:
    """The testbed's folder; a relative path starts at the project's root."""
    return paths.ROOT / declared.directory


def device_facts(declared: LoopTestbed, size: int) -> dict:
    """The device part of the fingerprint: the same for two clones on one disk."""
    return {
        "kind": "loop",
        "bytes": size,
        "direct_io": declared.direct_io,
        **throttle_facts(declared.throttle),
        "backing": device.backing_identity(directory_of(declared)),
    }


def throttle_facts(throttled: Throttle | None) -> dict[str, dict[str, int]]:
    """The limits as a part of a fingerprint; empty without any."""
    return {"throttle": throttled.limits()} if throttled else {}


def _is_gone(loop: kernel.Loop) -> bool:
    """Whether the file is detached from the device."""
    return kernel.loop_of(loop.name) != loop


def _attached(name: str, file: Path, direct_io: bool, run: Run) -> Path:
    """Attach the file to a loop device and return its node. The file is noted first."""
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
            "loop devices need the kernel's loop driver (modprobe loop) and, in a container, access to "
            "/dev/loop-control and /dev/loop*",
        ) from None


def _note(name: str) -> str:
    return f"image-{name}"


def _is_ours(loop: kernel.Loop, name: str, directory: Path) -> bool:
    """Whether its file is the testbed's image, also if it was renamed or deleted since it was attached."""
    if loop.backing.parent == directory.resolve() and image.problem(loop.backing, name, loop.file) is None:
        return True
    noted = private_files.read_note(_note(name))
    if loop.file != (noted.get("device"), noted.get("inode")):
        return False
    # Another file may have its inode number by now: either the mark or the device's sequence number must match.
    attached = {"loop": loop.name, "sequence": disk.sequence(loop.node.stat().st_rdev)}
    return attached.items() <= noted.items() or image.problem(loop.backing, name, loop.file, renamed=True) is None


KIND = Kind(tools=TOOLS, opened=opened, clean=clean, device_facts=device_facts)
