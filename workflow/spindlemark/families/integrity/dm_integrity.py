"""dm-integrity: the kernel's layer below a filesystem that keeps a checksum of each block, and returns an error for a wrong one.

Only in a virtual machine: a kill here would leave a mapped device that holds the loop device and its memory. Writes
do not go through its journal: it would keep a second copy of the data that nothing reads.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.outcome import Broken
from spindlemark.families.integrity import disks
from spindlemark.testbeds import checks, guard, image, kernel, retry
from spindlemark.testbeds.inspected_device import Check, InspectedDevice

MODULE, PROGRAM, PACKAGE = "dm_integrity", "integritysetup", "cryptsetup-bin"
VERSION = (PROGRAM, "--version")
_CHECKSUM = ["--integrity", "crc32c"]


def make(node: Path, testbed: str) -> None:
    """Write the layer to a loop device, with the checksums of all blocks; raises Broken if that fails."""
    with guard.claim(node, testbed) as claimed:
        _done(["format", "--batch-mode", *_CHECKSUM, "--sector-size", "4096", claimed])


@contextmanager
def opened(node: Path) -> Iterator[Path]:
    """Map the layer on a loop device; yield the kernel's node of the mapped device. Raises Broken if that fails."""
    name = f"spindlemark-{node.name}"
    _done(["open", *_CHECKSUM, "--integrity-no-journal", node, name])
    try:
        yield Path("/dev") / f"dm-{os.minor(Path(f'/dev/mapper/{name}').stat().st_rdev)}"
    finally:
        retry.until_success(_words(["close", name]), f"{name}: cannot be closed")


def _is_on_our_image(device: InspectedDevice) -> str | None:
    """The only device below it is a loop device on an image of this program."""
    below = [each.name for each in Path(f"/sys/class/block/{device.name}/slaves").glob("*")]
    if len(below) != 1 or (loop := kernel.loop_of(below[0])) is None:
        return f"below it is {', '.join(below) or 'nothing'}, and not one loop device"
    return "its image is gone" if loop.deleted else image.problem(loop.backing, device.testbed, loop.file)


CHECKS: tuple[Check, ...] = (
    checks.is_block_device,
    checks.is_whole_device,
    _is_on_our_image,
    checks.is_not_mounted,
    checks.is_not_swap,
    checks.has_no_holders,
    checks.opens_exclusively,
)


def _done(words: list[object]) -> None:
    done = disks.run(_words(words))
    if done.exit_code:
        raise Broken(f"{PROGRAM} {words[0]} ended with exit code {done.exit_code}: {done.stderr.strip()}")


def _words(words: list[object]) -> list[str]:
    """The command line. The virtual machine has no udev, so the library has to make the nodes itself."""
    return ["env", "DM_DISABLE_UDEV=1", PROGRAM, *map(str, words)]
