"""Family `aaf_scale`: how time, memory and size of an AAF file grow with its content, by sector size and by library.

Study 000 wrote and read files of 1 to 16,000 sources with the AAF SDK's ScaleTest, with sectors of 512 and 4096
bytes. What was decided, and why:

- Level `aaf`: the source's graph of objects, written and read whole by pyaaf2; the SDK itself is not built any more.
  Embedded essence is what the source calls "es", as far as that can be guessed; its size is the profile's.
- Level `container`: the tree of storages and streams that such a file is, with the same names, sizes and content,
  written and read by several libraries, without what AAF means by it. Each is used as its own examples have it.
- Numbers of sources are the source's. A source is four mobs: the 40,000 mobs that the source's text speaks of are its
  10,000 sources, and its tables end at 16,000 sources, 64,000 mobs. So do ours.
- A program that takes longer than the profile's limit is stopped, and that is the result: writing has failed, or there is
  no time of reading, each with the limit in its reason. Two readers need time that grows with the square of the sources:
  olefile 41 s for 2,500 and POI 19 s. Each other library has a minute (libgsf five), and gives no answer after it; these
  two are not given larger files than they read within it.
- The time is what each program takes from opening the file to closing it, by its own clock: the start of Python or
  Java is in neither `seconds`, but in user and system time, and so is loading the tree. To writing the sync of the
  filesystem is added.
- It runs on a filesystem, on a device in memory: the source wrote to a disk, and a library that writes in small
  pieces pays the kernel for each; but time is the processor's, and variability of a disk would only blur it. Bytes on the
  device prove that all was written, and that reading was cold.
- Each file is read by every other library that is here, and what comes back is compared with what was written, by
  name, size and SHA-256: which library understands which is measured with the same file as its speed. Where no other library
  reads it back, writing has failed.
- A file that its own library cannot read has no reading time; the record gives the reason.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark.core.compound_files import SECTORS
from spindlemark.core.limits import Size
from spindlemark.core.metric import OWN_CLOCK, Metric
from spindlemark.core.outcome import Unsupported
from spindlemark.core.record import Closed
from spindlemark.families.aaf_scale import build
from spindlemark.families.aaf_scale.implementation_factor import IMPLEMENTATION
from spindlemark.families.aaf_scale.implementations import IMPLEMENTATIONS, Implementation
from spindlemark.families.aaf_scale.procedure import Work, container_tree
from spindlemark.families.factors import volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.shared import media
from spindlemark.families.shared.aaf.graph import Shape
from spindlemark.families.shared.choices import require_known
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition
from spindlemark.harness.work import work

METHOD = 4
FACTORS = (IMPLEMENTATION, FILESYSTEM, SCHEDULER)
BUILT = tuple(IMPLEMENTATIONS)

# The source's.
COUNTS = (1, 2, 3, 4, 6, 10, 16, 25, 40, 63, 100, 160, 250, 400, 630, 1000, 1600, 2500, 4000, 6300, 10000, 16000)
SOURCES = {f"{count}-sources": count for count in COUNTS}
LONG_SOURCES = 2500
LEVELS, ESSENCE = ("aaf", "container"), ("plain", "embedded")
WHOLE_FILES = "pyaaf2"  # the one that knows what AAF means


def _cost(part: str, title: str) -> dict[str, Metric]:
    found = {
        f"{part}_{kind}_seconds": Metric(
            title=f"{title}: {kind} time",
            unit="s",
            step=f"{part}_{kind}",
            better="lower",
            description=f"{kind} time of the whole program, its start included",
        )
        for kind in ("user", "system")
    }
    return found | {
        f"{part}_peak_bytes": Metric(
            title=f"{title}: memory",
            unit="B",
            better="lower",
            description=("most memory that the program ever had, as the kernel counts it"),
        )
    }


METRICS = {
    "write_seconds": Metric(
        title="Writing",
        unit="s",
        step="write",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="from opening the file to closing it, and the sync of the filesystem",
    ),
    "write_sync_seconds": Metric(
        title="Sync after writing",
        unit="s",
        step="write_sync",
        better="lower",
        description="the sync's part of write_seconds",
    ),
    "read_seconds": Metric(
        title="Reading",
        unit="s",
        step="read",
        better="lower",
        shortest_seconds=OWN_CLOCK,
        description="from opening the file to closing it, all of it read, on cold caches",
    ),
    **_cost("write", "Writing"),
    **_cost("read", "Reading"),
    "file_bytes": Metric(title="File size", unit="B", better="lower", description="of the finished file"),
    "overhead_ratio": Metric(
        title="Size over content",
        unit="1",
        kind="ratio",
        better="lower",
        description="file_bytes over the bytes of all streams",
    ),
    "understood_ratio": Metric(
        title="Understood",
        unit="1",
        kind="ratio",
        better="higher",
        description="share of the other libraries here that give back the whole tree",
    ),
    **work("write", "Writing", "the program and the sync"),
    **work("read", "Reading", "the program"),
}


class Scale(Closed):
    """What study 000 does not say about its files, and how long a program may take."""

    essence: Size = Field(description="embedded for each file source mob, of which a source has three")
    limit_seconds: float = Field(
        default=600, gt=0, le=86_400, description="time that a program may take for one file, after which it is stopped"
    )
    reader_seconds: float = Field(
        default=60,
        gt=0,
        le=86_400,
        description="time that each other library may take to read the file; one that takes longer gives no answer",
    )


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Level, sources, sector and essence, exactly; raises UserError naming what is not known or does not fit."""
    allowed = {"level": LEVELS, "sources": tuple(SOURCES), "sector": tuple(map(str, SECTORS)), "essence": ESSENCE}
    require_known(chosen, allowed, "aaf_scale")
    count = SOURCES[chosen["sources"]]
    essence = int(scale.essence) if chosen["essence"] == "embedded" else 0
    shape = Shape(count, int(chosen["sector"]), essence)
    fill_check.require_fit(_guessed_bytes(shape), size, chosen["sources"], "aaf_scale")
    return {
        "level": chosen["level"],
        "sources": {"name": chosen["sources"], "count": count, "mobs": shape.mobs},
        "sector": shape.sector_bytes,
        "essence": {"name": chosen["essence"], "embedded": essence > 0, "bytes": essence},
        "limit_seconds": scale.limit_seconds,
        "reader_seconds": scale.reader_seconds,
    }


def _guessed_bytes(shape: Shape) -> int:
    """Of the file: about 3 KiB a mob with its directory entries, the dictionary, and the tables of essence's sectors."""
    return 2**20 + 3072 * shape.mobs + int(1.1 * shape.embedded_bytes)


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: pyaaf2's 2.5 ms a mob for a whole file, and all readers.

    Two readers, POI and olefile, need time that grows with the square of the sources: 60 s together for 2,500.
    """
    each = 0.006 if factors["level"] == "aaf" else 0.0035
    count = factors["sources"]["count"]
    slow = [reader for reader in IMPLEMENTATIONS.values() if reader.reads_up_to and count <= reader.reads_up_to]
    readers = len(slow) * min(5e-6 * count**2, factors["reader_seconds"])
    return 2.5 + each * factors["sources"]["mobs"] + readers, 2.0 * _guessed_bytes(_shape(factors))


def most_repetitions(factors: Mapping[str, Any]) -> int | None:
    """Once in a session where a file takes minutes: the times of a processor vary little, as smaller files show."""
    return 1 if factors["sources"]["count"] >= LONG_SOURCES else None


def recipe(settings: Mapping[str, str]) -> list[str]:
    """How the file is made; the program's sources are in the project."""
    name, sector = settings.get("implementation.name", ""), settings.get("sector", "")
    if settings.get("level") == "aaf":
        return [f'aaf2.open(FILE, "w", sector_size={sector})  # Python']
    lines = {
        "libgsf": f"gsf_outfile_msole_new_full(sink, {sector}, 64)  /* C */",
        "cfb": f"CompoundFile::create_with_version(Version::{'V3' if sector == '512' else 'V4'}, file)  // Rust",
        "poi": "new POIFSFileSystem().writeFilesystem(stream)  // Java",
        "pyaaf2": f'CompoundFileBinary(file, "wb+", sector_size={sector})  # Python',
    }
    return [lines[name]] if name in lines else []


def _shape(factors: dict[str, Any]) -> Shape:
    return Shape(factors["sources"]["count"], factors["sector"], factors["essence"]["bytes"])


def steps(repetition: Repetition) -> None:
    """Make the tree, write it on a new filesystem, read it back, and have all others read it."""
    volume.require(repetition)
    own = _require(repetition)
    memory = Path(repetition.declared.source_directory)
    model = (
        None if repetition.factors["level"] == "aaf" else container_tree(repetition, _shape(repetition.factors), memory)
    )
    with media.scratch(memory) as folder:
        one = Work(repetition, own, _shape(repetition.factors), folder, model)
        volume.make(repetition, one.limit, cold=False)
        volume.mount(repetition, one.limit, cold=False)
        one.write()
        one.read()
        one.ask_all()
        fill_check.require_space(repetition)


def _require(repetition: Repetition) -> Implementation:
    """The library; raises Unsupported when it is not here, or is not made for this."""
    f = repetition.factors
    name, own = f["implementation"]["name"], IMPLEMENTATIONS[f["implementation"]["name"]]
    if f["level"] == "aaf" and name != WHOLE_FILES:
        raise Unsupported(f"{own.title} knows containers, and not what AAF means: only level container can be measured")
    if f["sector"] not in own.writes:
        raise Unsupported(f"{own.title} writes no sectors of {f['sector']} bytes")
    if not own.here():
        why = build.missing(own) or "./spindlemark run --family aaf_scale builds its program, or says why not"
        raise Unsupported(f"{own.title} cannot be driven here: {why}")
    return own


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    scale=Scale,
    factors=factors,
    most_repetitions=most_repetitions,
    built=BUILT,
    recipe=recipe,
)
