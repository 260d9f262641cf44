"""Static drawings of charts, each exported once: a version that is built anew, and other versions, take what was drawn before.

They lie in `data/build/drawings/` by a hash of all that they come from. What nobody asked for in a long time goes.
"""

import hashlib
import json
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import vl_convert

from spindlemark import paths

KEPT_SECONDS = 30 * 86400
FORMAT = 1  # raised when `_plain` changes


def svg(spec: dict[str, Any]) -> str:
    """The drawing of a Vega-Lite spec, without inline style."""
    shown = _still(spec)
    text = json.dumps([FORMAT, vl_convert.__version__, shown], sort_keys=True)
    place = _folder() / f"{hashlib.sha256(text.encode()).hexdigest()}.svg"
    with suppress(OSError, UnicodeError):
        known = place.read_text(encoding="utf-8")
        if known.startswith("<svg ") and known.endswith("</svg>"):  # whole, whatever happened to the machine
            os.utime(place)
            return known
    drawn = _plain(vl_convert.vegalite_to_svg(shown, allowed_base_urls=[]))
    _keep(place, drawn)
    return drawn


def _still(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec without what no drawing shows, which takes a third of its time: tooltips, and words for each mark."""
    def plain(part: dict[str, Any]) -> dict[str, Any]:
        return {key: {k: v for k, v in value.items() if k != "tooltip"} if key == "encoding" else value
                for key, value in part.items()}

    layers = {"layer": [plain(part) for part in spec["layer"]]} if "layer" in spec else {}
    return plain(spec) | layers | {"config": spec.get("config", {}) | {"aria": False}}


def _keep(place: Path, drawn: str) -> None:
    """Where that is not possible, as on a full disk, it costs the next build its time."""
    partial = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(drawn, encoding="utf-8")
        partial.replace(place)
    except OSError:
        with suppress(OSError):
            partial.unlink()


def forget() -> None:
    """Remove the drawings that no version of the site has needed for KEPT_SECONDS, and what was left half written."""
    before = time.time() - KEPT_SECONDS
    with suppress(OSError):
        for file in _folder().iterdir():
            with suppress(OSError):
                if file.stat().st_mtime < before:
                    file.unlink()


def _folder() -> Path:
    return paths.BUILD / "drawings"


def _plain(text: str) -> str:
    """Colours alone are CSS variables, so that one drawing serves light and dark; no name, since the page gives it."""
    text = re.sub(r' (?:aria-\w+|role|class|style|version|xmlns:xlink|pointer-events)="[^"]*"', "", text)
    text = re.sub(r'<path d="(?:M0,0h0v0h0Z)?"[^>]*/>| (?:opacity|stroke-width)="1"| font-family="[^"]*"', "", text)
    text = re.sub(r"<text[^>]*opacity=\"0\"[^>]*>[^<]*</text>", "", text)
    return re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\d+\.\d\d)\d+", r"\1", tag[0]), text).strip()
