"""The resolved factors of a library: a declaration times a profile's scale, as plain integers and strings."""

from typing import Any

from spindlemark.config import Library, Scale
from spindlemark.core.errors import UserError
from spindlemark.core.limits import MOST_BYTES

LEAST_BYTES = 10**9  # of a library that does not fit as declared: a smaller one says little about a disk


def resolve(
    name: str, library: Library, scale: Scale, content: str, seed: int, room: int | None = None
) -> dict[str, Any]:
    """The library factors {name, files, directories, smallest, largest, total, shape, content, seed}; sizes in bytes.

    At least two files stay, so that both the smallest and the largest exist. Two files have no free mean: their total
    is the sum of both ends. Where the library has more than `room` bytes, it has fewer files of the same sizes. Raises
    UserError when the declared mean cannot be met with the scaled count, or when less than LEAST_BYTES would be left.
    """
    smallest, largest = (
        max(1, round(size * scale.size)) for size in (library.smallest, scale.largest or library.largest)
    )
    mean = (scale.mean or library.mean) * scale.size
    part = scale.files * _fitting(name, library.files * scale.files * mean, room)
    files = min(library.files, max(2, round(library.files * part)))
    factors = {
        "name": name,
        "files": files,
        "directories": max(1, round(library.directories * part)),
        "smallest": smallest,
        "largest": largest,
        "total": _total(files, smallest, largest, mean),
        "shape": library.shape,
        "content": content,
        "seed": seed,
    }
    check(factors)
    return factors


def _fitting(name: str, total: float, room: int | None) -> float:
    """The share of `total` bytes that `room` bytes hold."""
    if room is None or total <= room:
        return 1.0
    if room < LEAST_BYTES:
        raise UserError(
            f"library {name}: this machine has memory for {room} bytes of it, and it is not compared below {LEAST_BYTES}",
            "measure on a machine with more memory, or name a folder on a disk as source_directory in "
            "config/testbeds/<name>.yaml",
        )
    return room / total


def needed_inodes(library: dict[str, Any]) -> int:
    """Files and directories of the library, without its root folder, which the target already has."""
    return library["files"] + library["directories"]


def check(library: dict[str, Any]) -> None:
    """Raise UserError, naming the key, when no set of files has this count, smallest, largest and total size."""
    files, smallest, largest, total = (library[key] for key in ("files", "smallest", "largest", "total"))
    if files < 1 or library["directories"] < 1:
        raise _impossible(library, "files", "a library needs at least one file and one directory")
    if not 0 < smallest <= largest:
        raise _impossible(library, "smallest", f"{smallest} bytes is not between 1 and the largest, {largest} bytes")
    if library["shape"] == "equal" and smallest != largest:
        raise _impossible(library, "shape", f"equal files cannot be both {smallest} and {largest} bytes")
    if files == 1 and smallest != largest:
        raise _impossible(library, "files", f"one file cannot be both {smallest} and {largest} bytes")
    if total > MOST_BYTES:
        raise _impossible(library, "mean", f"{files} files hold {total} bytes, and {MOST_BYTES} is the most")
    least, most = _bounds(files, smallest, largest)
    if not least <= total <= most:
        raise _impossible(
            library,
            "mean",
            f"{files} files of {smallest} to {largest} bytes, both ends present, hold "
            f"{least} to {most} bytes, not {total}",
        )


def _total(files: int, smallest: int, largest: int, mean: float) -> int:
    """Bytes of the whole library: mean x count, moved only by what rounding both ends to whole bytes explains."""
    if files <= 2:
        return smallest + (files - 1) * largest
    wanted = round(mean * files)
    least, most = _bounds(files, smallest, largest)
    nearest = min(max(wanted, least), most)
    return nearest if abs(nearest - wanted) <= files else wanted


def _bounds(files: int, smallest: int, largest: int) -> tuple[int, int]:
    if files == 1:
        return smallest, largest
    return smallest * (files - 1) + largest, smallest + largest * (files - 1)


def _impossible(library: dict[str, Any], key: str, why: str) -> UserError:
    name = library["name"]
    return UserError(
        f"config/libraries.yaml: {name}.{key}: {why}",
        f"change it there, or the scale under libraries.{name} in config/profiles/<profile>.yaml",
    )
