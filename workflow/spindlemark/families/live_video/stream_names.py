"""What a stream is called and made of: `speedhq-tcp` is a codec over a transport, `1080p25` a format."""

import re
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from spindlemark.core.errors import UserError

# Codec -> Python package that brings it. VMX is Open Media Transport's own, and travels with that alone.
CODECS = {"vmx": "cyomtlib", "speedhq": "av", "mjpeg": "av", "dnxhr": "av", "prores": "av", "hap": "av"}
TRANSPORTS = {"vmx": ("omt",)} | {codec: ("tcp", "srt") for codec in CODECS if codec != "vmx"}
_FORMAT = re.compile(r"(\d{3,4})p(\d{1,3})")
_WIDTHS = {720: 1280, 1080: 1920, 2160: 3840}


def stream(name: str, where: str) -> dict[str, Any]:
    """Codec and transport of a stream; raises UserError naming `where`."""
    codec, _, transport = name.partition("-")
    if transport not in TRANSPORTS.get(codec, ()):
        known = ", ".join(f"{codec}-{way}" for codec, ways in TRANSPORTS.items() for way in ways)
        raise UserError(f"{where}: stream: there is no {name!r}", f"use one of: {known}")
    return {"name": name, "codec": codec, "transport": transport}


def picture_format(name: str, where: str) -> dict[str, Any]:
    """Size and rate of a format; raises UserError naming `where`."""
    found = _FORMAT.fullmatch(name)
    if not found or int(found[1]) not in _WIDTHS or not 1 <= int(found[2]) <= 120:
        raise UserError(
            f"{where}: format: there is no {name!r}",
            "write lines and frames a second, as 720p30; lines are 720, 1080 or 2160",
        )
    return {"name": name, "width": _WIDTHS[int(found[1])], "height": int(found[1]), "rate": int(found[2])}


def lacking(stream: dict[str, Any]) -> str | None:
    """Why this machine cannot send such a stream; None where it can."""
    package = CODECS[stream["codec"]]
    try:
        found = version(package)
    except PackageNotFoundError:
        return f"the Python package {package} is not installed: make the environment again with ./spindlemark doctor"
    if package == "av" and (reason := _without_encoder(stream["codec"], found)):
        return reason
    if stream["transport"] == "srt":
        from spindlemark.core.process.tools import present
        from spindlemark.families.live_video import srt

        if not present(srt.LIBRARY):
            return f"{srt.LIBRARY} is not installed: the package {srt.PACKAGE} brings it"
    return None


def _without_encoder(codec: str, found: str) -> str | None:
    try:
        from spindlemark.families.live_video import live_codecs
    except (ImportError, OSError) as error:
        return f"PyAV {found} cannot be loaded here: {error}"
    if codec not in live_codecs.CODECS:
        return f"PyAV {found} comes without an encoder of {codec}: its libraries were built without Snappy"
    return (
        None if live_codecs.has(live_codecs.CODECS[codec]) else f"PyAV {found} was built without an encoder of {codec}"
    )
