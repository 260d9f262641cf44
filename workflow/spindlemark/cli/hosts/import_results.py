"""Taking in what a host measured: each record and spec proves its own place, and nothing that is here is replaced."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spindlemark.core import atomic_write, paths
from spindlemark.core.errors import UserError
from spindlemark.core.limits import shown
from spindlemark.core.record import Experiment, read_record, read_spec
from spindlemark.measure import plan
from spindlemark.testbeds.hosts import PLANS

REFUSED = "nothing of it was taken; look at the host's copy of the project"


def take(testbed: str) -> int:
    """Move what was brought of a testbed to `data/raw/`, and note its plan; returns how many repetitions are new.

    Raises UserError, before anything is moved, for a file that is no record or spec of its place, for one that differs
    from what is here, and for results of another machine than those that are here.
    """
    brought = PLANS / testbed / "raw"
    new = dict(_checked(brought, testbed))
    _require_one_machine(testbed, new.values())
    planned = _planned(PLANS / testbed / "plan.json", testbed)
    for file in sorted(new, key=lambda file: file.name != "spec.json"):
        target = paths.RAW / testbed / file.relative_to(brought)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)
    atomic_write.write(PLANS / f"{testbed}.json", planned.model_dump_json(indent=1))
    return sum(file.name != "spec.json" for file in new)


def _checked(brought: Path, testbed: str) -> Iterator[tuple[Path, Experiment]]:
    for file in sorted(path for path in brought.rglob("*") if not path.is_dir()):
        if file.is_symlink():
            raise UserError(f"{file}: is a link", REFUSED)
        read = read_spec(file) if file.name == "spec.json" else read_record(file)
        place = file.relative_to(brought).parts[:-1]
        e = read.experiment
        if (e.testbed, (e.family, e.experiment, read.identity)) != (testbed, place):
            raise UserError(f"{file}: belongs to another place", REFUSED)
        target = paths.RAW / testbed / file.relative_to(brought)
        if target.exists() and target.read_bytes() != file.read_bytes():
            raise UserError(f"{target}: differs from what its host has", REFUSED)
        if not target.exists():
            yield file, e


def _require_one_machine(testbed: str, brought: Iterable[Experiment]) -> None:
    """Samples of two machines never meet in one testbed."""
    here = {
        read_spec(spec).experiment.fingerprint.get("host") for spec in (paths.RAW / testbed).glob("*/*/*/spec.json")
    }
    there = {experiment.fingerprint.get("host") for experiment in brought}
    if len(here | there) > 1:
        raise UserError(
            f"testbed {testbed}: there are results of another machine already",
            f"{REFUSED}; declare a testbed of another name for another host",
        )


def _planned(file: Path, testbed: str) -> plan.Plan:
    """The host's plan of its testbed, of which nothing is measured here."""
    found = plan.read(file)
    own = [e.model_copy(update={"chosen": False}) for e in found.experiments if e.testbed == testbed]
    for e in own:
        spec = paths.spec_path(testbed, e.family, e.experiment, e.identity)
        if (e.spec, e.records) != (str(spec), [str(paths.record_path(spec, n)) for n in range(1, e.repetitions + 1)]):
            raise UserError(f"{file}: the paths of {shown(e.experiment)} are not its own", REFUSED)
    return found.model_copy(update={"experiments": own})
