"""What another program finds of an exported project: readers that share no code with the writers.

What a writer makes, another program has to read. EDL is read by pycmx; the others by readers of our own, written from the
published descriptions of the formats: OpenTimelineIO's JSON, FCPXML, and Final Cut Pro's XML interchange format (version 5).
"""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pycmx
from opentimelineio import schema

from spindlemark.families.project_exchange import aaf_reader
from spindlemark.families.project_exchange.aaf_reader import Edit
from spindlemark.families.project_exchange.timelines import RATE


def share(written: schema.Timeline, name: str, file: Path) -> float:
    """Share of the written edits whose clip, first frame and length in the programme the reader of the format `name` finds.

    Raises whatever the reader raises where it does not understand the file.
    """
    edits = list(written.find_clips())
    wanted = Counter(
        (e.name, *(round(t.value) for t in (e.source_range.start_time, e.source_range.duration))) for e in edits
    )
    return (wanted & Counter(READERS[name](file))).total() / len(edits)


def _otio(file: Path) -> Iterator[Edit]:
    def walk(node: Any) -> Iterator[Edit]:
        if isinstance(node, dict):
            if str(node.get("OTIO_SCHEMA", "")).startswith("Clip."):
                found = node["source_range"]
                yield node["name"], round(found["start_time"]["value"]), round(found["duration"]["value"])
            for each in node.values():
                yield from walk(each)
        elif isinstance(node, list):
            for each in node:
                yield from walk(each)

    return walk(json.loads(file.read_text()))


def _fcpxml(file: Path) -> Iterator[Edit]:
    """Clips of the spine, and those connected to them. Times are rational seconds; `start` is a time of the medium."""
    for sequence in ElementTree.fromstring(file.read_text()).iter("sequence"):
        for clip in sequence.iter("clip"):
            yield clip.attrib["name"], _frames(clip.get("start", "0s")), _frames(clip.attrib["duration"])


def _frames(seconds: str) -> int:
    return round(Fraction(seconds.removesuffix("s")) * RATE)


def _fcp7(file: Path) -> Iterator[Edit]:
    """Clip items. `in` counts from the first frame of the medium, whose time code is that of the file.

    An element that only has an `id` is the one with that id before it.
    """
    known: dict[tuple[str, str], ElementTree.Element] = {}

    def whole(element: ElementTree.Element) -> ElementTree.Element:
        key = element.tag, element.get("id", "")
        if len(element):
            known[key] = element
        return known[key]

    root = ElementTree.fromstring(file.read_text())
    for item in root.iter("clipitem"):
        item = whole(item)
        medium = item.find("file")
        first, start, end = (int(item.findtext(name, "")) for name in ("in", "start", "end"))
        begin = int(whole(medium).findtext("timecode/frame", "")) if medium is not None else 0
        yield item.findtext("name", ""), begin + first, end - start


def _edl(file: Path) -> Iterator[Edit]:
    """Events. Times are time codes without dropped frames."""
    for event in pycmx.parse_cmx3600(io.StringIO(file.read_text())).events:
        for edit in event.edits:
            first, begin, end = map(_timecode, (edit.source_in, edit.record_in, edit.record_out))
            yield str(edit.clip_name), first, end - begin


def _timecode(text: str) -> int:
    hours, minutes, seconds, frames = map(int, str(text).split(":"))
    return ((hours * 60 + minutes) * 60 + seconds) * RATE + frames


READERS: dict[str, Callable[[Path], Iterator[Edit]]] = {
    "aaf": aaf_reader.edits,
    "otio": _otio,
    "fcpxml": _fcpxml,
    "fcp7": _fcp7,
    "edl": _edl,
}
