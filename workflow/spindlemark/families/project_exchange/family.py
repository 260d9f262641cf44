"""Family `project_exchange`: the time to export a project of an editing program and to read it again, and the edits that are lost.

Study 000 reports how long users waited for exports to AAF, with their tracks, edits and durations. Timelines of these shapes
(timelines.py says which parts are the source's and which are chosen) are written and read by OpenTimelineIO and its adapters.
What was decided, and why:

- What another program finds decides: the exported file is read again by a reader that shares no code with the writer
  (independent_readers.py). OpenTimelineIO's own format is its memory written down, so it is shown as the baseline.
- Media are referred to and never embedded: the source's exports link to current media.
- What comes back is compared with what was written, edit by edit (round_trip.py). A share of zero is a result; a format
  that cannot hold the shape at all has failed, in the words of its adapter. Advice rests on all pieces together: one that keeps
  nothing of a kind has no ratio to one that keeps all of it.
- The file is behind the buffer that Python's `open` gives to every file, on the disk, or behind nbdkit with a delay of each
  request: adapters of text ask once for all of it, pyaaf2 for each few bytes.
- Time is the process's own, from before the file is opened until its device has all of it, or until the timeline is there;
  neither the start of Python nor drawing and comparing timelines is in it.
- The source's programs are Avid's, the seconds those of people with a watch; what is measured here is Python. It is a wait of
  the same kind, and not the same work.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spindlemark.core.metric import OWN_CLOCK, Metric
from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.project_exchange import formats, independent_readers, project_client
from spindlemark.families.project_exchange.formats import FORMATS
from spindlemark.families.project_exchange.timelines import SHAPES, Shape, timeline
from spindlemark.families.shared import media
from spindlemark.families.shared.block_storage import storage_server
from spindlemark.families.shared.block_storage.storage_client import (
    KIB,
    MIB,
    READ,
    WRITE,
    ask,
    make_empty,
    require_counted,
    require_moved,
    room,
)
from spindlemark.families.shared.block_storage.storage_server import HTTP, STORAGES, Served
from spindlemark.families.shared.block_storage.storage_stack import BUFFER, Below, Took
from spindlemark.families.shared.choices import require_known
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition

METHOD = 3
FACTORS = (FILESYSTEM, SCHEDULER)
TOOLS = {
    package: programs.version_of(package)
    for package in ("pyaaf2", "olefile", "pycmx", *(each.package for each in FORMATS.values()))
}

# Longest time of one command, as if an edit took half a second and 200 requests: a hung server is what it must find.
_START_SECONDS, _SECONDS, _REQUESTS = 120.0, 0.5, 200
_EDIT_BYTES = 24 * KIB  # of the largest format, about twice what was tried

_KEPT = {
    "clips": ("Edits", "edits of the same kind of track and the same name"),
    "timecodes": ("Time codes", "edits that show the same frames of their clip"),
    "places": ("Places", "edits that begin at the same frame of the programme"),
    "tracks": ("Tracks", "tracks with anything in them"),
    "markers": ("Markers", "markers on the same edit and frame, with the same name"),
    "effects": (
        "Effects",
        "effects on an edit of the same name: a change of speed by its factor, others by their names",
    ),
    "everything": ("Everything", "edits with their time codes, markers and effects, each of which counts as one"),
}
METRICS = {
    "write_seconds": Metric(
        title="Export",
        unit="s",
        step="write",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="from before the file is opened until its device has all of it",
    ),
    "read_seconds": Metric(
        title="Import",
        unit="s",
        step="read",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="from before the file is opened until the timeline is there, on cold caches",
    ),
    "write_cpu_seconds": Metric(
        title="Export: processor time",
        unit="s",
        step="write_cpu",
        work="cpu",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="user and system time of the process in write_seconds",
    ),
    "read_cpu_seconds": Metric(
        title="Import: processor time",
        unit="s",
        step="read_cpu",
        work="cpu",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="user and system time of the process in read_seconds",
    ),
    "write_requests_count": Metric(
        title="Export: requests", unit="1", kind="count", better="lower", description="to the storage"
    ),
    "read_requests_count": Metric(
        title="Import: requests", unit="1", kind="count", better="lower", description="to the storage"
    ),
    "file_bytes": Metric(title="Size", unit="B", better="lower", description="of the file that was exported"),
} | {
    f"{part}_kept_ratio": Metric(
        title=f"{title} kept",
        unit="1",
        kind="ratio",
        better="higher",
        description=f"share of those written that came back: {what}",
    )
    for part, (title, what) in _KEPT.items()
}
METRICS["understood_ratio"] = Metric(
    title="Understood by another program",
    unit="1",
    kind="ratio",
    better="higher",
    description="share of the edits whose clip, first frame and length a reader finds that shares no code with the writer",
)


class Scale(Closed):
    """Nothing: the projects have all of their edits."""


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Format, shape with exact numbers, and storage; raises UserError naming what is not known or does not fit."""
    known: dict[str, Any] = {
        "format": FORMATS,
        "shape": SHAPES,
        "storage": {name: each for name, each in STORAGES.items() if each["kind"] != HTTP},
    }
    require_known(chosen, known, "project_exchange")
    shape = SHAPES[chosen["shape"]]
    fill_check.require_fit(_room(shape.edits), size, "its file", "project_exchange")
    return {
        "format": chosen["format"],
        "shape": {"name": chosen["shape"], **shape._asdict()},
        "storage": {"name": chosen["storage"], **STORAGES[chosen["storage"]]},
        "seed": 1,
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: about what was tried, 20 ms and 120 requests for each edit of AAF."""
    edits, delay = factors["shape"]["edits"], factors["storage"]["delay_ms"] / 1000
    requests, seconds = (5000 + 120 * edits, 0.02) if factors["format"] == formats.AAF else (10, 0.002)
    return 3.0 + seconds * edits + requests * delay, 2.0 * _room(edits)


def recipe(settings: Mapping[str, str]) -> list[str]:
    """What exports a timeline of OpenTimelineIO's in the format, with the converter that comes with it."""
    found = FORMATS.get(settings.get("format", ""))
    if found is None:
        return []
    options = "".join(f" -A {name}={value}" for name, value in found.writes.items())
    return [
        f"pip install {found.package}",
        f"otioconvert -i PROJECT.otio -o project.{found.suffix} -O {found.adapter}{options}",
    ]


def steps(repetition: Repetition) -> None:
    """Export the project to the storage, then read it from there on cold caches, and compare."""
    f, edits = repetition.factors, repetition.factors["shape"]["edits"]
    volume.require(repetition)
    storage_server.require(repetition, f["storage"])
    if not formats.installed(f["format"]):
        raise Unsupported(f"the adapter is not installed: the Python package {FORMATS[f['format']].package} brings it")
    limit = _START_SECONDS + edits * _SECONDS
    volume.make(repetition, limit, cold=False)
    volume.mount(repetition, limit, cold=False)
    file = formats.path_of(repetition.testbed.mount_point, f["format"])
    make_empty(file, f["storage"], _room(edits))
    limit += _REQUESTS * (50 + edits) * f["storage"]["delay_ms"] / 1000
    with storage_server.serving(repetition, f["storage"], file) as served:
        written = _step(repetition, served, WRITE, 0, limit)
        back = _step(repetition, served, READ, written.requests.length, limit)
    require_counted(repetition, served, written, back, whole=True)
    _understand(repetition, file, written.requests.length)
    fill_check.require_space(repetition)
    _measure(repetition, written, back)
    volume.unmount(repetition, limit)


def _step(repetition: Repetition, served: Served, way: str, length: int, limit: float) -> Took:
    f = repetition.factors
    place = Below(f["storage"]["kind"], str(served.at), length, way == WRITE, BUFFER)
    task = {
        "below": asdict(place),
        "shape": [f["shape"][name] for name in Shape._fields],
        "seed": f["seed"],
        "format": f["format"],
    }
    with repetition.step(way) as step:
        took = ask(repetition, project_client.__name__, task, limit)
    require_moved(repetition, took, step, way)
    return took


def _understand(repetition: Repetition, file: Path, length: int) -> None:
    """The share that the independent reader finds; none where it does not understand the file, and the note says why."""
    f = repetition.factors
    written, found = timeline(Shape(*(f["shape"][name] for name in Shape._fields)), f["seed"]), 0.0
    with media.scratch(Path(repetition.declared.source_directory)) as folder:
        copy = formats.path_of(folder, f["format"])
        with file.open("rb") as exported:  # behind a server the file is larger than what was written
            copy.write_bytes(exported.read(length))
        try:
            found = independent_readers.share(written, f["format"], copy)
        except Exception as error:  # each reader has its own errors for what it does not understand
            repetition.note({"understood.why_not": f"{type(error).__name__}: {error}"[:300]})
    repetition.measure("understood_ratio", found)


def _measure(repetition: Repetition, written: Took, back: Took) -> None:
    """Raises Failed when nothing came back."""
    for way, took in ((WRITE, written), (READ, back)):
        repetition.measure(f"{way}_seconds", took.seconds)
        repetition.measure(f"{way}_cpu_seconds", took.cpu_seconds)
        repetition.measure(f"{way}_requests_count", took.requests.reads + took.requests.writes)
    repetition.measure("file_bytes", written.requests.length)
    for part, share in back.kept.items():
        repetition.measure(f"{part}_kept_ratio", share)
    if not back.kept["clips"]:
        raise Failed("no edit of the project came back")


def _room(edits: int) -> int:
    """Bytes that a file of so many edits certainly fits in, in whole MiB."""
    return room(4 * MIB, _EDIT_BYTES, edits)


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    scale=Scale,
    factors=factors,
    tools=TOOLS,
    recipe=recipe,
)
