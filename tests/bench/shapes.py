"""Records in real shapes for benchmarks: those of the newest release, over and over on further testbeds, their samples scattered anew.

They are no results: each says in its environment that a benchmark made it.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path

from released import records_of
from spindlemark.core.record import Experiment, Spec, records_in
from spindlemark.release import versions as release

SCATTER = 0.03  # standard deviation of the logarithm of what is timed
# The database of any folder of records, as a program: that of a release would have its manifest checked first.
DATABASE = """import sys
from pathlib import Path
from spindlemark.analysis import database
from spindlemark.core.paths import REFERENCE
database.build(Path(sys.argv[1]).glob("*/*/*/*/rep-*.json"), Path(sys.argv[2]), REFERENCE)"""
TIMED = ("s", "B/s", "1/s", "bit/s")


def write(folder: Path, copies: int, repetitions: int | None = None) -> int:
    """Write `copies` times the experiments of the newest release below `folder`, laid out like its records.

    `repetitions` of each; None: as many as it has. Returns how many records were written. The same arguments give the
    same bytes.
    """
    newest, written = records_of(release.versions()[0].version), 0
    for own in sorted(newest.glob("*/*/*/*")):
        found = [json.loads(path.read_bytes()) for path in records_in(own)]
        for copy in range(copies):
            written += _write(folder, found, copy, repetitions or len(found))
    return written


def _write(folder: Path, found: list[dict], copy: int, repetitions: int) -> int:
    experiment = Experiment(**found[0]["experiment"])
    experiment = experiment.model_copy(update={"testbed": f"{experiment.testbed}-{copy:02}"})
    identity, told = experiment.identity(), experiment.model_dump(mode="json")
    place = folder / experiment.testbed / experiment.family / experiment.experiment / identity
    place.mkdir(parents=True)
    (place / "spec.json").write_text(Spec(identity=identity, experiment=experiment).model_dump_json())
    for n, record in zip(range(1, repetitions + 1), _again(found), strict=False):
        rng = random.Random(f"{identity}-{n}")
        measured = [m | {"value": _scattered(m, rng)} for m in record["measurements"]]
        environment = record["environment"] | {
            "made_by": "a benchmark",
            "run.round": f"{record['environment'].get('run.round', 0)}.{n}",
        }
        (place / f"rep-{n}.json").write_text(
            json.dumps(
                record
                | {
                    "experiment": told,
                    "identity": identity,
                    "repetition": n,
                    "measurements": measured,
                    "environment": environment,
                }
            )
        )
    return repetitions


def _again(found: list[dict]) -> Iterator[dict]:
    while True:
        yield from found


def _scattered(measurement: dict, rng: random.Random) -> float:
    factor = rng.lognormvariate(0, SCATTER)
    return measurement["value"] * factor if measurement["unit"] in TIMED else measurement["value"]
