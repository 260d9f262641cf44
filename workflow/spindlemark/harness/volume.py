"""The volume: the filesystem under measurement, made, mounted and unmounted by the same steps in every family."""

from spindlemark import config
from spindlemark.harness.repetition import Session, Step


def require(session: Session) -> None:
    """Raises Unsupported, naming the package, when this machine cannot make, check or mount the filesystem."""
    filesystem = session.factors["filesystem"]
    declared = config.choose(session.registry.filesystems, filesystem["name"], "filesystem", "config/filesystems.yaml")
    session.need_tools([words[0] for words in (filesystem["mkfs"], filesystem["check"]) if words], declared.package)
    session.need_filesystem(filesystem["module"])


def make(session: Session, limit: float, cold: bool = True) -> Step:
    """The step `format`: mkfs on the device, with the factors' options. Where its time is no result it need not be `cold`."""
    with session.step("format", cold) as step, session.testbed.claimed() as device:
        session.run([*session.factors["filesystem"]["mkfs"], device], limit)
    return step


def mount_command(session: Session) -> list[str]:
    """The mount command up to the device; the mount point follows that."""
    filesystem = session.factors["filesystem"]
    options = ["-o", ",".join(filesystem["mount"])] if filesystem["mount"] else []
    return ["mount", "-t", filesystem["module"], *options]


def mount(session: Session, limit: float, name: str = "mount", cold: bool = True) -> Step:
    """The step `name`: mount the filesystem; the options in force go into the environment."""
    with session.step(name, cold) as step, session.testbed.claimed() as device:
        session.run([*mount_command(session), device, session.testbed.mount_point], limit)
    getattr(session.testbed, "mounted", lambda: None)()  # of a network, which may set the filesystem's readahead
    session.note({"filesystem.mount_options": session.testbed.mount_options()})
    return step


def unmount(session: Session, limit: float) -> Step:
    """The step `unmount`: what was written is on the disk after it."""
    with session.step("unmount", cold=False) as step:
        session.run(["umount", session.testbed.mount_point], limit)
    return step
