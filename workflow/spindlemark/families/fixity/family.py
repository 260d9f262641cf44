"""Family `fixity`: what it costs to find a damaged file by checksums, and to repair it.

Decisions, with their reasons:

- The library is a bag (BagIt, RFC 8493): the files below `data`, and a manifest with the checksum of each. Archives use it, and
  every program for checksums can check its manifest.
- The programs are those of the distribution, as users call them. b3sum uses all processors, the others one.
- All checks are on cold caches, so a check takes as long as the slower of device and checksum. Processor time is reported apart.
- After the timed check one byte is flipped in a file, drawn by seed and repetition. A check that does not name exactly this file
  shows an error of this program, so that is a gate.
- The file is repaired from a second copy, or from recovery records (PAR2), which must give back every byte: the same check, of this
  file, is part of the repair.
"""

import random
from pathlib import Path
from typing import Any

from spindlemark.families.factors import filesystem_life, volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.library import LIBRARY
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.fixity import repair_factor
from spindlemark.families.fixity.algorithm_factor import ALGORITHM
from spindlemark.families.fixity.fixity_metrics import METRICS
from spindlemark.families.shared import media
from spindlemark.harness.repetition import Repetition

DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"  # bagit.txt, RFC 8493 section 2.1.1
PAYLOAD = "data"
SEED = 20261126
_MANIFEST = 'cd "$0" && find data -type f -print0 | sort -z | xargs -0 "$1" > "$2"'
_CHECK = 'cd "$0" && exec "$1" --check --quiet "$2"'
_DAMAGED = 1  # exit code of all four programs when a checksum does not match
_START_SECONDS, _SLOWEST_BYTES = 300.0, 2e6  # longest time of one command; a hung tool is what it must find
_HASHED_BYTES_PER_SECOND = 4e8  # of the slower programs, for the plan


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, for three checksums of all files, and bytes moved: one copy and three reads."""
    total = float(factors["library"]["total"])
    return 3.0 * total / _HASHED_BYTES_PER_SECOND, 4.0 * total


def steps(repetition: Repetition) -> None:
    """Make a bag of the library, check it, damage one file, find it and replace it."""
    volume.require(repetition)
    algorithm, library = repetition.factors["algorithm"], repetition.factors["library"]
    repetition.need_tools([algorithm["tool"]], algorithm["package"])
    filesystem_life.require_fit(repetition)
    limit = _START_SECONDS + library["total"] / _SLOWEST_BYTES
    source = media.cached(library, Path(repetition.declared.source_directory))
    volume.make(repetition, limit, cold=False)
    volume.mount(repetition, limit, cold=False)
    bag = repetition.testbed.mount_point / "bag"
    manifest = bag / f"manifest-{algorithm['name']}.txt"
    with repetition.step("copy", cold=False):
        bag.mkdir()
        (bag / "bagit.txt").write_text(DECLARATION, encoding="utf-8")
        repetition.run(["cp", "-a", source, bag / PAYLOAD], limit)
        repetition.run(["sync", "-f", bag], limit)
    _timed(repetition, "manifest", ["sh", "-c", _MANIFEST, bag, algorithm["tool"], manifest.name], limit)
    lines = manifest.read_text(encoding="utf-8").splitlines()
    repetition.require(
        "completeness", len(lines) == library["files"], len(lines), library["files"], "1", "files in the manifest"
    )
    check = ["sh", "-c", _CHECK, bag, algorithm["tool"]]
    _timed(repetition, "verify", [*check, manifest.name], limit)
    _damage_and_repair(repetition, source, bag, check, lines, limit)
    volume.unmount(repetition, limit)


def _timed(repetition: Repetition, name: str, argv: list[Any], limit: float) -> None:
    """Measure a command that reads every byte of the library, on cold caches."""
    total = repetition.factors["library"]["total"]
    with repetition.step(name) as step:
        repetition.run(argv, limit)
    for metric in (f"{name}_seconds", f"{name}_bytes_per_second", f"{name}_cpu_seconds"):
        repetition.compute(metric)
    repetition.require(
        "cold_proof",
        step.read_bytes >= total,
        step.read_bytes,
        total,
        "B",
        f"bytes that the device read during {name}, from its own counter, against the payload",
    )


def _damage_and_repair(
    repetition: Repetition, source: Path, bag: Path, check: list[Any], lines: list[str], limit: float
) -> None:
    """Flip a bit of one file, require that the check names this file alone, and repair it."""
    line = random.Random(f"{SEED} {repetition.number}").choice(lines)
    path = line.split("  ", 1)[1]
    manifest = f"manifest-{repetition.factors['algorithm']['name']}.txt"
    repair_factor.protect(repetition, bag, bag / path, limit)
    _flip(bag / path, repetition.number)
    with repetition.step("find", cold=False):
        found = repetition.run([*check, manifest], limit, accept=[_DAMAGED]).stdout.splitlines()
    named = [each for each in found if each.startswith(f"{path}: FAILED")]
    failed = [each for each in found if ": FAILED" in each]
    ok = len(named) == len(failed) == 1
    repetition.require("content", ok, len(failed), 1, "1", "files that the check names, of one that is damaged")
    one = bag / "manifest-of-one-file.txt"
    one.write_text(f"{line}\n", encoding="utf-8")
    copy = source / Path(path).relative_to(PAYLOAD)
    with repetition.step("repair"):
        repetition.run(repair_factor.command(repetition, bag, bag / path, copy), limit)
        repetition.run(["sync", "-f", bag], limit)
        repetition.run([*check, one.name], limit)
    repetition.compute("repair_seconds")


def _flip(file: Path, seed: int) -> None:
    """Change one bit of a file in place, as a program that has a defect would."""
    with file.open("r+b") as opened:
        at = random.Random(seed).randrange(file.stat().st_size)
        opened.seek(at)
        (byte,) = opened.read(1)
        opened.seek(at)
        opened.write(bytes([byte ^ 1]))


FAMILY = Family(
    method=1,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=(FILESYSTEM, LIBRARY, ALGORITHM, repair_factor.REPAIR, SCHEDULER),
    tools={"findutils": ("find", "--version")},
)
