"""Static drawings of charts, each rendered once: later builds and other versions reuse it.

They are stored in `data/build/drawings/` under a hash of all inputs, and deleted when unused for KEPT_SECONDS.
"""

import hashlib
import json
import os
import re
import time
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import vl_convert

from spindlemark.core import atomic_write, paths
from spindlemark.core.errors import UserError

VERSION = version("vl-convert-python")
KEPT_SECONDS = 30 * 86400
FORMAT = 1  # raised when `_plain` changes


def svg(spec: dict[str, Any]) -> str:
    """The drawing of a Vega-Lite spec, without inline style."""
    shown = _still(spec)
    text = json.dumps([FORMAT, VERSION, shown], sort_keys=True)
    place = _folder() / f"{hashlib.sha256(text.encode()).hexdigest()}.svg"
    with suppress(OSError, UnicodeError):
        known = place.read_text(encoding="utf-8")
        if known.startswith("<svg ") and known.endswith("</svg>"):  # complete, even after a crash
            os.utime(place)
            return known
    drawn = _plain(vl_convert.vega_to_svg(json.dumps(_vega(shown)), allowed_base_urls=[]))
    _keep(place, drawn)
    return drawn


def _still(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec without what drawings do not show (tooltips, selections, labels of marks), which takes half of the time."""

    def plain(part: dict[str, Any]) -> dict[str, Any]:
        channels = {
            name: _unselected(channel) for name, channel in part.get("encoding", {}).items() if name != "tooltip"
        }
        return {key: value for key, value in part.items() if key != "encoding"} | (
            {"encoding": channels} if channels else {}
        )

    layers = {"layer": [plain(part) for part in spec["layer"]]} if "layer" in spec else {}
    params = {"params": kept} if (kept := [each for each in spec.get("params", []) if "select" not in each]) else {}
    rest = {key: value for key, value in spec.items() if key != "params"}
    return plain(rest) | layers | params | {"config": spec.get("config", {}) | {"aria": False}}


def _unselected(channel: Any) -> Any:
    """A channel as drawn while nothing is selected, which counts as everything."""
    condition = channel.get("condition") if isinstance(channel, dict) else None
    return {"value": condition["value"]} if isinstance(condition, dict) and "param" in condition else channel


def _vega(spec: dict[str, Any]) -> dict[str, Any]:
    """Compile the spec for Vega; specs that differ only in their data share the result."""
    datasets = spec.get("datasets", {})
    compiled = json.loads(
        _compiled(json.dumps(spec | {"datasets": {name: [] for name in datasets}} if datasets else spec))
    )
    for data in compiled["data"]:
        data |= {"values": datasets[data["name"]]} if data["name"] in datasets else {}
    return compiled


@cache
def _compiled(spec: str) -> str:
    return json.dumps(vl_convert.vegalite_to_vega(spec))


def _keep(place: Path, drawn: str) -> None:
    """Store a drawing; if that fails, for example on a full disk, the next build draws it again."""
    with suppress(UserError), atomic_write.partial(place) as growing:
        growing.write_text(drawn, encoding="utf-8")


def forget() -> None:
    """Remove drawings that no build has used for KEPT_SECONDS, and incomplete ones."""
    before = time.time() - KEPT_SECONDS
    with suppress(OSError):
        for file in _folder().iterdir():
            with suppress(OSError):
                if file.stat().st_mtime < before:
                    file.unlink()


def _folder() -> Path:
    return paths.BUILD / "drawings"


def _plain(text: str) -> str:
    """Strip classes, styles and labels: the page sets the name, and colours are CSS variables for light and dark mode."""
    text = re.sub(r' (?:aria-\w+|role|class|style|version|xmlns:xlink|pointer-events)="[^"]*"', "", text)
    text = re.sub(r'<path d="(?:M0,0h0v0h0Z)?"[^>]*/>| (?:opacity|stroke-width)="1"| font-family="[^"]*"', "", text)
    text = re.sub(r"<text[^>]*opacity=\"0\"[^>]*>[^<]*</text>", "", text)
    return re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\d+\.\d\d)\d+", r"\1", tag[0]), text).strip()
