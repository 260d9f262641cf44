"""The volume: the filesystem under measurement, made, mounted and unmounted by the same steps in every family."""

from spindlemark import config
from spindlemark.harness.repetition import Repetition, Step


def require(repetition: Repetition) -> None:
    """Raises Unsupported, naming the package, when this machine cannot make, check or mount the filesystem."""
    filesystem = repetition.factors["filesystem"]
    declared = config.choose(
        repetition.registry.filesystems, filesystem["name"], "filesystem", "config/filesystems.yaml"
    )
    repetition.need_tools([words[0] for words in (filesystem["mkfs"], filesystem["check"]) if words], declared.package)
    repetition.need_filesystem(filesystem["module"])


def make(repetition: Repetition, limit: float, cold: bool = True) -> Step:
    """The step `format`: mkfs on the device, with the factors' options. Where its time is not a result it need not be `cold`."""
    with repetition.step("format", cold) as step, repetition.testbed.claimed() as device:
        repetition.run([*repetition.factors["filesystem"]["mkfs"], device], limit)
    return step


def mount_command(repetition: Repetition) -> list[str]:
    """The mount command up to the device; the mount point follows that."""
    filesystem = repetition.factors["filesystem"]
    options = ["-o", ",".join(filesystem["mount"])] if filesystem["mount"] else []
    return ["mount", "-t", filesystem["module"], *options]


def mount(repetition: Repetition, limit: float, name: str = "mount", cold: bool = True) -> Step:
    """The step `name`: mount the filesystem; the options in force go into the environment."""
    with repetition.step(name, cold) as step, repetition.testbed.claimed() as device:
        repetition.run([*mount_command(repetition), device, repetition.testbed.mount_point], limit)
    getattr(repetition.testbed, "mounted", lambda: None)()  # of a network, which may set the filesystem's readahead
    repetition.note({"filesystem.mount_options": repetition.testbed.mount_options()})
    return step


def unmount(repetition: Repetition, limit: float) -> Step:
    """The step `unmount`: what was written is on the disk after it."""
    with repetition.step("unmount", cold=False) as step:
        repetition.run(["umount", repetition.testbed.mount_point], limit)
    return step
