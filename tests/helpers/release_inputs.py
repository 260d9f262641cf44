"""What a release is frozen from, as the stages before it leave it, and how one is compared and damaged."""

from pathlib import Path

import factory
from spindlemark.analysis import database, findings

SUBJECTS, LIBRARIES, REPETITIONS = ("ext4", "xfs"), ("picture", "sound"), 3


def inputs(root: Path, reverse: bool = False) -> dict:
    """Records, database and findings below `root`, as the stages before the release leave them."""
    experiments = [factory.experiment(fs, lib) for fs in SUBJECTS for lib in LIBRARIES]
    records = [path for e in experiments for path in factory.write(root, e, REPETITIONS)]
    if reverse:
        records.reverse()
    return given_by(records, root)


def given_by(records: list[Path], root: Path) -> dict:
    """Database and findings of these records below `root`, with the other arguments of a freeze."""
    build, report = root / "data.duckdb", root / "findings.json"
    database.build(records, build)
    report.write_text(findings.compute(build, findings.load(), 0.2).model_dump_json(indent=1) + "\n")
    return {
        "records": records,
        "database": build,
        "findings": report,
        "profiles": {"quick": []},
        "released": None,
        "code": root,
    }


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def change(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
