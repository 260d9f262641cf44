"""The volume: the filesystem under measurement, made, mounted and unmounted by the same steps in every family."""

from collections.abc import Sequence
from typing import Any

from spindlemark import config
from spindlemark.core.outcome import Unsupported
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.harness.repetition import Repetition, Step


def require(repetition: Repetition) -> None:
    """Raise Unsupported, naming the package, when this machine cannot make, check or mount the filesystem."""
    filesystem = _filesystem(repetition)
    declared = config.choose(
        repetition.registry.filesystems, filesystem["name"], "filesystem", "config/filesystems.yaml"
    )
    repetition.need_tools([words[0] for words in (filesystem["mkfs"], filesystem["check"]) if words], declared.package)
    repetition.need_filesystem(filesystem["module"])


def make(repetition: Repetition, limit: float, cold: bool = True, prefix: Sequence[str] = ()) -> Step:
    """Run the step `format`: mkfs with the declared options, after the words of `prefix`, such as env.

    It need not be `cold` where its time is not a result. Raises Unsupported for a pool, which has a name instead of a device.
    """
    name = _filesystem(repetition)["name"]
    if repetition.registry.filesystems[name].pool:
        raise Unsupported(f"{name} is mounted by the name of a pool, which only the family integrity does")
    with repetition.step("format", cold) as step, repetition.testbed.claimed() as device:
        repetition.run([*prefix, *_filesystem(repetition)["mkfs"], device], limit)
    return step


def mount_command(repetition: Repetition) -> list[str]:
    """Return the mount command without its last two arguments, the device and the mount point."""
    filesystem = _filesystem(repetition)
    options = ["-o", ",".join(filesystem["mount"])] if filesystem["mount"] else []
    return ["mount", "-t", filesystem["module"], *options]


def mount(repetition: Repetition, limit: float, name: str = "mount", cold: bool = True) -> Step:
    """Run the step `name`: mount the filesystem, and record the options in force in the environment."""
    with repetition.step(name, cold) as step, repetition.testbed.claimed() as device:
        repetition.run([*mount_command(repetition), device, repetition.testbed.mount_point], limit)
    repetition.testbed.after_mount()
    repetition.note({"filesystem.mount_options": repetition.testbed.mount_options()})
    return step


def unmount(repetition: Repetition, limit: float) -> Step:
    """Run the step `unmount`. When it ends, everything that was written is on the disk."""
    with repetition.step("unmount", cold=False) as step:
        repetition.run(["umount", repetition.testbed.mount_point], limit)
    return step


def _filesystem(repetition: Repetition) -> dict[str, Any]:
    return repetition.factors[FILESYSTEM.name]
