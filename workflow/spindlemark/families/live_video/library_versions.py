"""Prints the version of a library of live video: `python -P -m spindlemark.families.live_video.library_versions av`, or libsrt."""

import sys
from importlib.metadata import PackageNotFoundError, version

from spindlemark.families.live_video import srt


def main(name: str) -> str:
    """The version, or that there is none."""
    try:
        return srt.version() if name == "libsrt" else version(name)
    except (OSError, PackageNotFoundError):
        return f"{name} is not installed"


if __name__ == "__main__":
    print(main(sys.argv[1]))
