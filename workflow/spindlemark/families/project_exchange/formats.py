"""The formats that carry a timeline, each by its adapter for OpenTimelineIO, written to and read from a file that is open already.

Adapters of text give and take a text; that of AAF gives and takes a path, which pyaaf2 opens: it gets the opened file there.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import opentimelineio
from opentimelineio import schema

from spindlemark.families.project_exchange.timelines import RATE
from spindlemark.families.shared.aaf.deterministic import seeded
from spindlemark.families.shared.aaf.graph import standing_in

AAF = "aaf"


@dataclass(frozen=True)
class Format:
    """`package` of Python that brings the adapter; `writes` and `reads` are its options; `suffix` is that of its files."""

    title: str
    adapter: str
    package: str
    suffix: str
    writes: dict[str, Any] = field(default_factory=dict)
    reads: dict[str, Any] = field(default_factory=dict)


FORMATS = {
    AAF: Format("AAF", "AAF", "otio-aaf-adapter", "aaf", {"use_empty_mob_ids": True}),
    "otio": Format("OpenTimelineIO's own", "otio_json", "opentimelineio", "otio"),
    "fcpxml": Format("FCPXML of Final Cut Pro X", "fcpx_xml", "otio-fcpx-xml-adapter", "fcpxml"),
    "fcp7": Format("XML of Final Cut Pro 7", "fcp_xml", "otio-fcp-adapter", "xml"),
    "edl": Format("EDL, CMX 3600", "cmx_3600", "otio-cmx3600-adapter", "edl", {"rate": RATE}, {"rate": RATE}),
}


def write(found: schema.Timeline, name: str, file: BinaryIO) -> None:
    """Write the timeline; raises whatever its adapter raises."""
    wanted = FORMATS[name]
    if name == AAF:
        with seeded(1), standing_in(file):
            opentimelineio.adapters.write_to_file(found, "project.aaf", wanted.adapter, **wanted.writes)
    else:
        file.write(opentimelineio.adapters.write_to_string(found, wanted.adapter, **wanted.writes).encode())


def read(name: str, file: BinaryIO) -> schema.Timeline:
    """The first timeline of the file; raises whatever its adapter raises, and ValueError when there is none."""
    wanted = FORMATS[name]
    if name == AAF:
        with standing_in(file):
            found = opentimelineio.adapters.read_from_file("project.aaf", wanted.adapter, **wanted.reads)
    else:
        found = opentimelineio.adapters.read_from_string(file.read().decode(), wanted.adapter, **wanted.reads)
    timelines = (
        [found] if isinstance(found, schema.Timeline) else [each for each in found if isinstance(each, schema.Timeline)]
    )
    if not timelines:
        raise ValueError("there is no timeline in it")
    return timelines[0]


def installed(name: str) -> bool:
    """Whether the adapter is here."""
    return FORMATS[name].adapter in opentimelineio.adapters.available_adapter_names()


def path_of(folder: Path, name: str) -> Path:
    """The path of a project of the format in a folder."""
    return folder / f"project.{name}"
