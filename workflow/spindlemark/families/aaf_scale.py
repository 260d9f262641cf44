"""Family `aaf_scale`: how time, memory and size grow with what an AAF file holds, by sector size and by library.

Source 000 wrote and read files of 1 to 16,000 sources with the AAF SDK's ScaleTest, with sectors of 512 and 4096
bytes. What was decided, and why:

- Level `aaf`: the source's graph of objects, written and read whole by pyaaf2; the SDK itself is not built any more.
  Embedded essence is what the source calls "es", as far as that can be guessed; its size is the profile's.
- Level `container`: the tree of storages and streams that such a file is, with the same names, sizes and content,
  written and read by several libraries, without what AAF means by it. Each is used as its own examples have it.
- Numbers of sources are the source's times the profile's scale; their names stay, and each result says its exact
  count.
- The time is what each program takes from opening the file to closing it, by its own clock: the start of Python or
  Java is in neither `seconds`, but in user and system time, and so is loading the tree. To writing the sync of the
  filesystem is added.
- It runs on a filesystem, on a device in memory: the source wrote to a disk, and a library that writes in small
  pieces pays the kernel for each; but time is the processor's, and a disk's moods would only blur it. Bytes on the
  device prove that all was written, and that reading was cold.
- Each file is read by every other library that is here, and what comes back is compared with what was written, by
  name, size and SHA-256: who understands whom is measured with the same file as its speed. Where nobody else gives it
  back, writing has failed.
- What the own reader cannot read has no reading time, and says why.
"""

import json
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark import media, programs
from spindlemark.aaf.graph import Seen, Shape
from spindlemark.containers import build, trees
from spindlemark.containers.implementations import IMPLEMENTATIONS, Implementation
from spindlemark.families import Metric, require_known, work
from spindlemark.limits import Size
from spindlemark.measure import filled, volume
from spindlemark.measure.command import Finished
from spindlemark.measure.outcome import Failed, Unsupported
from spindlemark.measure.session import Session, Step
from spindlemark.record import Closed

METHOD = 2
FACTORS = ("implementation", "filesystem", "scheduler")
BUILT = tuple(IMPLEMENTATIONS)

# The source's.
COUNTS = (1, 2, 3, 4, 6, 10, 16, 25, 40, 63, 100, 160, 250, 400, 630, 1000, 1600, 2500, 4000, 6300, 10000, 16000)
SOURCES = {f"{count}-sources": count for count in COUNTS}
LEVELS, SECTORS, ESSENCE = ("aaf", "container"), ("512", "4096"), ("plain", "embedded")
AAF = (*programs.PYTHON, "-m", "spindlemark.aaf")
WHOLE_FILES = "pyaaf2"  # the one that knows what AAF means


def _cost(part: str, title: str) -> dict[str, Metric]:
    found = {f"{part}_{kind}_seconds": Metric(title=f"{title}: {kind} time", unit="s", better="lower",
                                              description=f"{kind} time of the whole program, its start included")
             for kind in ("user", "system")}
    return found | {f"{part}_peak_bytes": Metric(title=f"{title}: memory", unit="B", better="lower", description=(
        "most memory that the program ever had, as the kernel counts it"))}


METRICS = {
    "write_seconds": Metric(title="Writing", unit="s", better="lower",
                            description="from opening the file to closing it, and the sync of the filesystem"),
    "write_sync_seconds": Metric(title="Sync after writing", unit="s", better="lower",
                                 description="the sync's part of write_seconds"),
    "read_seconds": Metric(title="Reading", unit="s", better="lower",
                           description="from opening the file to closing it, all of it read, on cold caches"),
    **_cost("write", "Writing"), **_cost("read", "Reading"),
    "file_bytes": Metric(title="File size", unit="B", better="lower", description="of the finished file"),
    "overhead_ratio": Metric(title="Size over content", unit="1", better="lower",
                             description="file_bytes over the bytes of all streams"),
    "understood_ratio": Metric(title="Understood", unit="1", better="higher",
                               description="share of the other libraries here that give back the whole tree"),
    **work("write", "Writing", "the program and the sync"), **work("read", "Reading", "the program"),
}
_START_SECONDS, _SLOWEST_MOBS = 120.0, 20.0  # a hung program is what the limit must find


class Scale(Closed):
    """How much smaller than in source 000 the files are."""

    sources: float = Field(gt=0, le=1, description="factor on the source's numbers of sources, 1 to 16,000")
    essence: Size = Field(description="embedded for each file source mob, of which a source has three")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Level, sources, sector and essence, exactly; raises UserError naming what is not known or does not fit."""
    allowed = {"level": LEVELS, "sources": tuple(SOURCES), "sector": SECTORS, "essence": ESSENCE}
    require_known(chosen, allowed, "aaf_scale")
    count = max(1, round(SOURCES[chosen["sources"]] * scale.sources))
    essence = int(scale.essence) if chosen["essence"] == "embedded" else 0
    shape = Shape(count, int(chosen["sector"]), essence)
    filled.require_fit(_guessed_bytes(shape), size, chosen["sources"], "aaf_scale")
    return {"level": chosen["level"], "sources": {"name": chosen["sources"], "count": count, "mobs": shape.mobs},
            "sector": shape.sector_bytes, "essence": {"name": chosen["essence"], "embedded": essence > 0, "bytes": essence}}


def _guessed_bytes(shape: Shape) -> int:
    """Of the file: about 8 KiB a mob with its directory entries, and the dictionary."""
    return 2**20 + 8192 * shape.mobs + 2 * shape.embedded_bytes


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: pyaaf2's 5 ms a mob, also where it makes the tree, and the readers."""
    return 2.5 + 0.006 * factors["sources"]["mobs"], 2.0 * _guessed_bytes(_shape(factors))


def recipe(settings: dict[str, str]) -> list[str]:
    """How the file is made; the program's sources lie in the project."""
    name, sector = settings.get("implementation.name", ""), settings.get("sector", "")
    if settings.get("level") == "aaf":
        return [f'aaf2.open(FILE, "w", sector_size={sector})  # Python']
    lines = {"libgsf": f"gsf_outfile_msole_new_full(sink, {sector}, 64)  /* C */",
             "cfb": f"CompoundFile::create_with_version(Version::{'V3' if sector == '512' else 'V4'}, file)  // Rust",
             "poi": "new POIFSFileSystem().writeFilesystem(stream)  // Java",
             "pyaaf2": f'CompoundFileBinary(file, "wb+", sector_size={sector})  # Python'}
    return [lines[name]] if name in lines else []


def _shape(factors: dict[str, Any]) -> Shape:
    return Shape(factors["sources"]["count"], factors["sector"], factors["essence"]["bytes"])


def steps(session: Session) -> None:
    """Make the tree, write it on a new filesystem, read it back, and have all others read it."""
    volume.require(session)
    own = _require(session)
    with media.scratch(Path(session.declared.source_directory)) as folder:
        work = _Work(session, own, folder)
        work.prepare()
        volume.make(session, work.limit)
        volume.mount(session, work.limit)
        work.write()
        work.read()
        work.ask_all()
        filled.require_space(session)


def _require(session: Session) -> Implementation:
    """The library; raises Unsupported when it is not here, or is not made for this."""
    f = session.factors
    name, own = f["implementation"]["name"], IMPLEMENTATIONS[f["implementation"]["name"]]
    if f["level"] == "aaf" and name != WHOLE_FILES:
        raise Unsupported(f"{own.title} knows containers, and not what AAF means: only level container can be measured")
    if f["sector"] not in own.writes:
        raise Unsupported(f"{own.title} writes no sectors of {f['sector']} bytes")
    if not own.here():
        why = build.missing(own) or "./spindlemark run --family aaf_scale builds its program, or says why not"
        raise Unsupported(f"{own.title} cannot be driven here: {why}")
    return own


class _Work:
    """One experiment: what is written lies in memory, what is measured on the filesystem."""

    def __init__(self, session: Session, own: Implementation, folder: Path) -> None:
        self.session, self.own, self.shape = session, own, _shape(session.factors)
        self.whole = session.factors["level"] == "aaf"
        self.limit = _START_SECONDS + self.shape.mobs / _SLOWEST_MOBS
        self.tree, self.came = folder / "tree", folder / "came"
        self.file = session.testbed.mount_point / "file"

    def prepare(self) -> None:
        """The tree that containers are made of is what pyaaf2 makes of the graph, as olefile finds it."""
        if not self.whole:
            model = self.tree.with_name("model")
            self.session.run(self._aaf_words(model), self.limit)
            self._list(IMPLEMENTATIONS["olefile"], model)
            model.unlink()

    def _list(self, reader: Implementation, file: Path) -> None:
        """Write down the tree of a file."""
        self.session.run([*reader.command, "read", file, self.tree], self.limit)
        self.written = trees.read(self.tree)

    def _aaf_words(self, file: Path) -> list[Any]:
        return [*AAF, "write", file, self.shape.sources, self.shape.sector_bytes, self.shape.essence_bytes]

    def write(self) -> None:
        words = [*self.own.command, "write", self.tree, self.file, self.shape.sector_bytes]
        if self.whole:
            words = self._aaf_words(self.file)
        with self.session.step("write") as write:
            done = self.session.run(words, self.limit)
        with self.session.step("sync", cold=False) as sync:
            self.session.run(["sync", "-f", self.session.testbed.mount_point], self.limit)
        if self.whole:
            self._list(self.own, self.file)
        size, measure = self.file.stat().st_size, self.session.measure
        reached = write.written_bytes + sync.written_bytes
        self.session.require("cold_proof", reached >= size, reached, size, "B",
                             "bytes that the device wrote until the sync ended, by its own counter, against the file's")
        measure("write_seconds", _said(done)["seconds"] + sync.seconds)
        measure("write_sync_seconds", sync.seconds)
        measure("file_bytes", size)
        measure("overhead_ratio", size / self.written.bytes)
        self._cost("write", done, write, sync)

    def read(self) -> None:
        words = [*AAF, "read", self.file] if self.whole else [*self.own.command, "read", self.file]
        with self.session.step("read") as read:
            done = self.session.run(words, self.limit, accept=(0, 1))
        if done.exit_code:
            self.session.note({"absent.read_seconds": f"failed: its own reader says: {_last_line(done)}"})
            return
        said = _said(done)
        self._require_all(said)
        wanted = self.written.bytes
        self.session.require("cold_proof", read.read_bytes >= wanted, read.read_bytes, wanted, "B",
                             "bytes that the device read, from its own counter, against those of all streams")
        self.session.measure("read_seconds", said["seconds"])
        self._cost("read", done, read)

    def _require_all(self, said: dict[str, Any]) -> None:
        """The gate `completeness`: the reader saw as much as was written."""
        if self.whole:
            complaint = Seen(**{name: said[name] for name in Seen.__dataclass_fields__}).complaint(self.shape)
            self.session.require("completeness", complaint is None, said["mobs"], self.shape.mobs, "1",
                                 f"mobs, clips and essence that were read{': ' + complaint if complaint else ''}")
        else:
            found, wanted = said["bytes"], self.written.bytes
            self.session.require("completeness", found == wanted, found, wanted, "B", "bytes of streams that were read")

    def _cost(self, part: str, done: Finished, *steps: Step) -> None:
        self.session.measure(f"{part}_user_seconds", done.user_seconds)
        self.session.measure(f"{part}_system_seconds", done.system_seconds)
        self.session.measure(f"{part}_peak_bytes", _said(done)["peak_bytes"])
        self.session.measure_work(part, *steps)

    def ask_all(self) -> None:
        """Every library that is here reads the file. Raises Failed when none but the own one understands it."""
        with self.session.step("understand", cold=False):
            answers = {name: self._asked(each) for name, each in IMPLEMENTATIONS.items()}
        self.session.attachments["understanding"] = answers
        others = [answer["kept"] for name, answer in answers.items()
                  if answer["kept"] is not None and IMPLEMENTATIONS[name] != self.own]
        if others and max(others) < 1:
            raise Failed(f"no other reader gives back the tree: {json.dumps(answers)}")
        self.session.require("content", bool(others), max(others, default=0), 1, "1",
                             "storages and streams, by name, size and SHA-256, that the best other reader gave back")
        self.session.measure("understood_ratio", sum(kept == 1 for kept in others) / len(others))

    def _asked(self, reader: Implementation) -> dict[str, Any]:
        """The share of the tree that a reader gives back, None where it is not here, and what it says."""
        if not reader.here():
            return {"kept": None, "says": "not here"}
        self.came.unlink(missing_ok=True)
        try:
            done = self.session.run([*reader.command, "read", self.file, self.came], self.limit, accept=(0, 1))
        except Failed as failed:
            return {"kept": 0.0, "says": f"crashed: {failed.reason}"}
        if done.exit_code:
            return {"kept": 0.0, "says": f"refused: {_last_line(done)}"}
        return {"kept": round(trees.kept(self.written, trees.read(self.came)), 6), "says": "read"}


def _said(done: Finished) -> dict[str, Any]:
    """The line of JSON that each program ends with."""
    return json.loads(done.stdout.splitlines()[-1])


def _last_line(done: Finished) -> str:
    return ((done.stderr.strip() or done.stdout.strip()).splitlines() or ["nothing"])[-1][:300]
