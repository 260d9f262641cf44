"""Family `filesystem_crash`: a power cut while files are written, then the time to a usable tree, and what is left of them.

What was decided, and why:

- The files are written to a recorded disk in memory (testbeds/recorded.py), whose log has each write in its order. The
  power is cut by giving the first part of these writes to the testbed's device, which is then mounted. So the crash is
  exact, and mount and check take the time that they take on that device.
- The cut is right after a file was finished, half to nine tenths of the way. Seed and repetition decide which file, so all
  configurations are cut at the same one.
- The fill is smaller than a media library, since log, disk and image are in memory: three times its bytes.
- The disk keeps the order of its writes. A disk with a volatile cache may lose more; what was flushed it may not lose.
- The device gets zeros too where it has something else, so that nothing of an earlier repetition is left between the writes.
- A filesystem that cannot be mounted, or whose check finds errors after it was mounted, is a failed configuration.
"""

import json
import random
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark.core.limits import Size
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.filesystem_crash import compare_program, fill_program
from spindlemark.families.filesystem_crash.crash_metrics import METRICS
from spindlemark.families.shared.choices import require_known
from spindlemark.families.shared.crash import power_cut
from spindlemark.harness import fill_check
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import recorded

SIZES = {"1-mb": 10**6, "50-mb": 50 * 10**6}
PLAIN, EACH = "plain", "each-file"
SYNCS = (PLAIN, EACH)
SEED = 20261126
FOLDER = "files"
_FIRST, _LAST = 0.5, 0.9  # shares of the files that are finished before the earliest and the latest cut
_LIST_ALL = 'exec find "$0" -printf "%s %T@ %p\\n" > /dev/null'
_START_SECONDS, _SLOWEST_BYTES = 300.0, 2e6  # longest time of one command; a hung tool is what it must find
_ROOM, _COPIES = 768 << 20, 3  # memory for journals and tables, and for the payload in disk, log and image


class Scale(Closed):
    """How much is written."""

    fill: Size = Field(gt=0, description="bytes of all files together")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """The files with exact bytes; raises UserError for an unknown choice, and if they do not fit `size` bytes."""
    require_known(chosen, {"size": SIZES, "sync": SYNCS}, "filesystem_crash")
    each = SIZES[chosen["size"]]
    files = max(2, int(scale.fill) // each)
    fill_check.require_fit(files * each, size, "the fill", "filesystem_crash")
    return {
        "size": {"name": chosen["size"], "bytes": each, "files": files, "total": files * each},
        "sync": chosen["sync"],
        "seed": SEED,
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: written to memory and to the device, and read once."""
    return 6.0, 4.0 * factors["size"]["total"]


def steps(repetition: Repetition) -> None:
    """Fill a recorded disk, cut its power, and mount on the device what it had."""
    volume.require(repetition)
    total = repetition.factors["size"]["total"]
    limit = _START_SECONDS + total / _SLOWEST_BYTES
    finished = cut_after(repetition.factors, repetition.number)
    with recorded.work_folder(_COPIES * total + _ROOM) as memory:
        log = _filled(repetition, memory, limit)
        _cut(repetition, memory, log, json.loads((memory / "noted").read_text())[finished - 1], limit)
        _recover(repetition, limit)
        _compare(repetition, memory, finished, limit)
    volume.unmount(repetition, limit)
    _check(repetition, limit)


def cut_after(factors: dict[str, Any], repetition: int) -> int:
    """The number of files that are finished when the power is cut."""
    share = random.Random(f"{factors['seed']} {repetition}").uniform(_FIRST, _LAST)
    return max(1, int(share * factors["size"]["files"]))


def _filled(repetition: Repetition, memory: Path, limit: float) -> Path:
    """Write all files to a recorded disk as large as the device; return the log of its writes."""
    size = repetition.factors["size"]
    name = repetition.spec.experiment.testbed
    with recorded.mounted(repetition, memory, name, repetition.factors["filesystem"], repetition.testbed.size) as disk:
        task = _task(repetition, disk.point, size["files"]) | {
            "each": repetition.factors["sync"] == EACH,
            "log": str(disk.log),
            "noted": str(memory / "noted"),
        }
        (memory / "task").write_text(json.dumps(task))
        with repetition.step("fill", cold=False):
            repetition.run([*programs.PYTHON, "-m", fill_program.__name__, memory / "task"], limit)
        files, written = fill_check.tally(disk.point / FOLDER)
        whole = (files, written) == (size["files"], size["total"])
        repetition.require("completeness", whole, written, size["total"], "B", "bytes that were written before the cut")
    disk.kept.unlink()  # frees memory for the image
    return disk.log


def _cut(repetition: Repetition, memory: Path, log: Path, end: int, limit: float) -> None:
    """Give the device what the disk had when its log had `end` bytes."""
    longest = limit + repetition.testbed.size / _SLOWEST_BYTES
    done = power_cut.give(repetition, log, end, memory / "image", longest)
    repetition.note({"crash.writes": done["writes"], "crash.written_bytes": done["bytes"]})
    log.unlink()  # frees memory


def _recover(repetition: Repetition, limit: float) -> None:
    volume.mount(repetition, limit, "crash_mount")
    with repetition.step("crash_list", cold=False):
        repetition.run(["sh", "-c", _LIST_ALL, repetition.testbed.mount_point], limit)
    repetition.compute("crash_mount_seconds")


def _compare(repetition: Repetition, memory: Path, finished: int, limit: float) -> None:
    """Measure what is left of the files that were finished."""
    (memory / "task").write_text(json.dumps(_task(repetition, repetition.testbed.mount_point, finished)))
    with repetition.step("compare", cold=False):
        argv = [*programs.PYTHON, "-m", compare_program.__name__, str(memory / "task")]
        found = json.loads(repetition.run(argv, limit).stdout)
    repetition.measure("crash_finished_count", finished)
    repetition.measure("crash_whole_share", found[compare_program.WHOLE] / finished)
    repetition.measure(
        "crash_lost_bytes", (finished - found[compare_program.WHOLE]) * repetition.factors["size"]["bytes"]
    )
    repetition.note({f"crash.{name}": count for name, count in found.items()})


def _check(repetition: Repetition, limit: float) -> None:
    if (check := repetition.factors["filesystem"]["check"]) is None:
        return
    with repetition.step("crash_check"), repetition.testbed.claimed() as device:
        repetition.run([*check, device], limit)
    repetition.compute("crash_check_seconds")


def _task(repetition: Repetition, point: Path, files: int) -> dict[str, Any]:
    f = repetition.factors
    return {"folder": str(point / FOLDER), "files": files, "bytes": f["size"]["bytes"], "seed": f["seed"]}


FAMILY = Family(
    method=1,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=(FILESYSTEM, SCHEDULER),
    scale=Scale,
    factors=factors,
    tools={"findutils": ("find", "--version")},
)
