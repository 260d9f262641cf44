"""Import the results of a host: each record and spec is checked against its path, and no existing file is replaced."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spindlemark.core import atomic_write, paths
from spindlemark.core.errors import UserError
from spindlemark.core.limits import shown
from spindlemark.core.record import Experiment, read_record, read_spec
from spindlemark.measure import plan
from spindlemark.testbeds.hosts import PLANS

REFUSED = "nothing was imported; check the copy of the project on the host"


def take(testbed: str) -> int:
    """Move the copied results of a testbed to `data/raw/`, and store its plan; returns the number of new repetitions.

    Raises UserError, before anything is moved, for a file whose content does not match its path, for one that differs from
    the file here, and for results of another machine than those here.
    """
    copied = PLANS / testbed / "raw"
    new = dict(_checked(copied, testbed))
    _require_one_machine(testbed, new.values())
    planned = _planned(PLANS / testbed / "plan.json", testbed)
    for file in sorted(new, key=lambda file: file.name != "spec.json"):
        target = paths.RAW / testbed / file.relative_to(copied)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)
    atomic_write.write(PLANS / f"{testbed}.json", planned.model_dump_json(indent=1))
    return sum(file.name != "spec.json" for file in new)


def _checked(copied: Path, testbed: str) -> Iterator[tuple[Path, Experiment]]:
    for file in sorted(path for path in copied.rglob("*") if not path.is_dir()):
        if file.is_symlink():
            raise UserError(f"{file}: is a link", REFUSED)
        read = read_spec(file) if file.name == "spec.json" else read_record(file)
        place = file.relative_to(copied).parts[:-1]
        e = read.experiment
        if (e.testbed, (e.family, e.experiment, read.identity)) != (testbed, place):
            raise UserError(f"{file}: the path does not match the content", REFUSED)
        target = paths.RAW / testbed / file.relative_to(copied)
        if target.exists() and target.read_bytes() != file.read_bytes():
            raise UserError(f"{target}: differs from the file on its host", REFUSED)
        if not target.exists():
            yield file, e


def _require_one_machine(testbed: str, copied: Iterable[Experiment]) -> None:
    """Raise UserError if a testbed would have samples of two machines."""
    here = {
        read_spec(spec).experiment.fingerprint.get("host") for spec in (paths.RAW / testbed).glob("*/*/*/spec.json")
    }
    there = {experiment.fingerprint.get("host") for experiment in copied}
    if len(here | there) > 1:
        raise UserError(
            f"testbed {testbed}: has results of another machine",
            f"{REFUSED}; declare a testbed with another name for another host",
        )


def _planned(file: Path, testbed: str) -> plan.Plan:
    """The host's plan of its testbed; none of its experiments is measured here."""
    found = plan.read(file)
    own = [e.model_copy(update={"chosen": False}) for e in found.experiments if e.testbed == testbed]
    for e in own:
        spec = paths.spec_path(testbed, e.family, e.experiment, e.identity)
        if (e.spec, e.records) != (str(spec), [str(paths.record_path(spec, n)) for n in range(1, e.repetitions + 1)]):
            raise UserError(f"{file}: the paths of {shown(e.experiment)} belong to another experiment", REFUSED)
    return found.model_copy(update={"experiments": own})
