"""The record: the raw result of one repetition. These models are the schema of `data/raw/`."""

import hashlib
import json
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from spindlemark.core import migrations, safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.limits import Name, Slug, Text, first_error
from spindlemark.core.migrations import RECORD_FORMAT

MOST_BYTES = 256 << 20  # of any file that is read as a model
_RECORD_NAME = re.compile(r"rep-([1-9][0-9]{0,8})\.json")
MOST_COUNT = (1 << 63) - 1
NAMES = {"experiment", "configuration", "workload"}  # fields of an experiment that do not enter the identity
_REMEDY = "move the file away and run again: only this repetition is measured again"
# Strict, so that the first type that fits is the right one: pydantic need not look at the others.
Scalar = Annotated[StrictStr | StrictInt | StrictFloat | StrictBool | None, Field(union_mode="left_to_right")]
Better = Literal["lower", "higher", "none"]
Model = TypeVar("Model", bound=BaseModel)
Status = Literal["ok", "failed", "unsupported", "invalid"]
# Gates that mark a sample as noisy; any other gate that fails makes the repetition invalid.
NOISE = ("quiet_machine", "quiet_disk")


class Closed(BaseModel):
    """A model that rejects unknown keys, infinity and NaN."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _readable(number: int) -> int:
    if number > RECORD_FORMAT:
        raise ValueError(f"is {number}: it was written by a newer version of this program, which reads {RECORD_FORMAT}")
    if number < RECORD_FORMAT:
        raise ValueError(f"is {number}: there is no such format")
    return number


def _hashable(value: dict[str, Any]) -> dict[str, Any]:
    json.dumps(value, allow_nan=False)
    return value


Format = Annotated[int, AfterValidator(_readable)]
Hashed = Annotated[dict[str, Any], AfterValidator(_hashable)]


class Part(Closed):
    """One part of an experiment's name: a chosen value, such as ext4 with the setting m0 under the scheduler bfq."""

    value: Text
    setting: Text = Field(default="", description="of the value, where it is not the default")
    under: Text = Field(default="", description="other differences from the testbed's defaults, such as a scheduler")

    @property
    def name(self) -> str:
        """The part as written in names, such as ext4+m0@bfq."""
        return f"{self.value}{self.setting and f'+{self.setting}'}{self.under and f'@{self.under}'}"


def join_parts(parts: Iterable[Part], separator: str = "--") -> str:
    """Join parts to a readable name, such as ext4+m0--picture. Names are never parsed; use the parts."""
    return separator.join(part.name for part in parts)


class Experiment(Closed):
    """What is measured. Everything but the names, `experiment`, `configuration` and `workload`, enters the identity."""

    family: Name
    testbed: Name
    experiment: Slug = Field(description="readable slug of the factors, for example ext4+noatime--picture")
    configuration: Part = Field(description="first part of the name: what the family compares")
    workload: list[Part] = Field(description="the other parts of the name, in order")
    factors: Hashed = Field(description="every factor with every default filled in")
    method: int = Field(description="raised by a developer when the measurement itself changes")
    fingerprint: Hashed = Field(description="kernel, tool versions and device of the testbed")

    def identity(self) -> str:
        """First 12 hex digits of SHA-256 over the canonical JSON of all that may change the number."""
        return _identity(self.model_dump_json(exclude=NAMES))

    def parts(self) -> list[Part]:
        """All parts of the name."""
        return [self.configuration, *self.workload]


class Spec(Closed):
    """Input of a measuring rule: one experiment and the identity that names its folder."""

    record_format: Format = RECORD_FORMAT
    identity: str
    experiment: Experiment


class Measurement(Closed):
    """One number of a repetition, with its unit and the better direction."""

    metric: str = Field(description="name that ends in its unit, such as copy_seconds or used_bytes")
    unit: str = Field(description="s, B, 1, B/s, 1/s")
    value: float | Annotated[int, Field(ge=-MOST_COUNT, le=MOST_COUNT)]
    better: Better


class Command(Closed):
    """One command, with the last 4000 characters of its output, and its cost.

    The cost is that of the command and of all processes that it started, without kernel threads; null in records from
    before it was counted.
    """

    step: str
    argv: list[str]
    exit_code: int
    seconds: float
    user_seconds: float | None = None
    system_seconds: float | None = None
    minor_faults: int | None = Field(default=None, description="page faults without a disk read")
    major_faults: int | None = Field(default=None, description="page faults with a disk read")
    stdout: str = ""
    stderr: str = ""


class Series(Closed):
    """Load sampled while the experiment ran."""

    name: str
    unit: str
    seconds: list[float] = Field(description="since the start of the repetition")
    values: list[float]


class Gate(Closed):
    """One validity gate: the observed value and its bound."""

    gate: Literal[
        "cold_proof",
        "completeness",
        "content",
        "delivered",
        "generator_idle",
        "generator_keeps_up",
        "quiet_machine",
        "quiet_disk",
        "clock",
        "space",
    ]
    step: str | None = None
    ok: bool
    observed: float | None = None
    bound: float | None = None
    unit: str = ""
    detail: str


class Record(Closed):
    """One repetition, as written once to `rep-<n>.json` and never changed."""

    record_format: Format = RECORD_FORMAT
    identity: str
    experiment: Experiment
    repetition: int = Field(ge=1)
    status: Status
    reason: str | None = Field(default=None, description="why it is not ok")
    started_at: AwareDatetime
    finished_at: AwareDatetime
    measurements: list[Measurement]
    series: list[Series] = []
    commands: list[Command]
    validity: list[Gate]
    environment: dict[str, Scalar]
    attachments: dict[str, Any] = {}


def canonical(value: Any) -> str:
    """JSON with sorted keys, no white space, and whole floats written as integers, so that 1 and 1.0 are one value."""

    def plain(v: Any) -> Any:
        if isinstance(v, dict):
            return {str(k): plain(x) for k, x in v.items()}
        if isinstance(v, (list, tuple)):
            return [plain(x) for x in v]
        return int(v) if isinstance(v, float) and v.is_integer() else v

    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@lru_cache(maxsize=64)  # the records of one experiment are read one after the other
def _identity(parts: str) -> str:
    return hashlib.sha256(canonical(json.loads(parts)).encode()).hexdigest()[:12]


def read_spec(path: Path) -> Spec:
    """Read a spec file; raises UserError if it is damaged or its hash is not its identity."""
    remedy = "move this file away and run again: the plan writes it again, and the results next to it stay"
    spec, _ = read_any_format(Spec, "spec", path, remedy)
    if spec.identity != spec.experiment.identity() or path.parent.name != spec.identity:
        raise UserError(
            f"{path}: identity {spec.identity} is not the hash of its content, or not its folder's name", remedy
        )
    return spec


def read_record(path: Path) -> Record:
    """Read a raw result; raises UserError when it is damaged or belongs to another identity or repetition."""
    return read_record_and_text(path)[0]


def read_record_and_text(path: Path) -> tuple[Record, str]:
    """Read a raw result; return it, and its text in the newest format."""
    return parse_record(safe_read.read(path, MOST_BYTES, _REMEDY), path)


def parse_record(content: bytes, path: Path) -> tuple[Record, str]:
    """Parse `content`, which was read from `path`; identity and repetition must match the path."""
    record, content = _parsed(Record, "record", content, path, _REMEDY)
    if record.identity != record.experiment.identity() or path.parent.name != record.identity:
        raise UserError(
            f"{path}: identity {record.identity} is not the hash of its experiment",
            "move the file away: it was edited, or copied to a folder where it does not belong",
        )
    if path.stem != f"rep-{record.repetition}":
        raise UserError(f"{path}: holds repetition {record.repetition}", "move the file away: it was renamed")
    return record, content.decode()


def read_model(model: type[Model], path: Path, remedy: str) -> Model:
    """Read a JSON file as `model`; raises UserError naming file and key, with `remedy`."""
    content = safe_read.read(path, MOST_BYTES, remedy)
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        key, wrong = first_error(error)
        raise UserError(f"{path}: {key}: {wrong}", remedy) from None


def read_any_format(model: type[Model], kind: migrations.Kind, path: Path, remedy: str) -> tuple[Model, bytes]:
    """Read a file of any format as `model`; return it, and its text in the newest format.

    Raises UserError naming file and key.
    """
    return _parsed(model, kind, safe_read.read(path, MOST_BYTES, remedy), path, remedy)


def _parsed(model: type[Model], kind: migrations.Kind, content: bytes, path: Path, remedy: str) -> tuple[Model, bytes]:
    try:
        return migrations.read(model, kind, content)
    except ValidationError as error:
        key, wrong = first_error(error)
        raise UserError(f"{path}: {key}: {wrong}", remedy) from None
    except ValueError as error:
        raise UserError(f"{path}: {error}", remedy) from None


def records_in(folder: Path) -> list[Path]:
    """Paths of the records of one identity, by number; none without a folder. They are not read.

    Raises UserError for something else with the name of a record, such as a copy made by hand, a folder or a FIFO.
    """
    found = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("rep-") and entry.name.endswith(".json"):
                    found[_number(entry)] = folder / entry.name
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:  # ValueError: NUL in the name
        raise UserError(f"{folder}: cannot be read: {error}", "make it readable, or move it away") from None
    return [found[number] for number in sorted(found)]


def _number(entry: os.DirEntry) -> int:
    """Number of the repetition in a record's name."""
    matched = _RECORD_NAME.fullmatch(entry.name)
    if not matched:
        raise UserError(
            f"{entry.path}: is not a record; records are called rep-1.json, rep-2.json and so on", "move it away"
        )
    if not entry.is_file():
        raise UserError(f"{entry.path}: is not a regular file", "move it away")
    return int(matched[1])
