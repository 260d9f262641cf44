"""Synthetic records for tests of everything after the measuring: made from a seed, never published."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from spindlemark.core.migrations import name_fields
from spindlemark.core.paths import record_path, spec_path
from spindlemark.core.record import Command, Experiment, Gate, Measurement, Part, Record, Series, Spec

LIBRARIES = {"picture": 10761, "sound": 604, "video": 46, "video-hd": 7, "frames": 144}
SPEED = {"ext3": 1.4, "ext4": 1.0, "xfs": 1.02, "btrfs": 1.8}
GAIN = {"m0": 0.9, "noatime": 0.99, "log64m": 0.95, "nodatacow": 0.7, "bigalloc": 0.8}
UNCHECKED = ("nilfs2",)
START = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)


def experiment(filesystem: str = "ext4", library: str = "picture", variant: str = "default", **changes) -> Experiment:
    """One experiment as the plan would declare it."""
    subject = filesystem if variant == "default" else f"{filesystem}+{variant}"
    name = named(changes.pop("experiment", f"{subject}--{library}"))
    return Experiment(
        **name
        | {
            "family": "filesystem_lifecycle",
            "testbed": "loop",
            "factors": {
                "filesystem": {
                    "name": filesystem,
                    "variant": variant,
                    "mkfs": [f"mkfs.{filesystem}"],
                    "mount": [],
                    "check": None if filesystem in UNCHECKED else ["true"],
                },
                "library": {
                    "name": library,
                    "files": LIBRARIES.get(library, 10),
                    "directories": 4,
                    "smallest": 31,
                    "largest": 1 << 20,
                    "total": 1 << 30,
                    "shape": "lognormal",
                    "content": "incompressible",
                    "seed": 1,
                },
                "scheduler": "none",
            },
            "method": 1,
            "fingerprint": {
                "kernel": "6.18.0-test",
                "machine": {"cpu": "Test CPU", "cpus": 2},
                "tools": {filesystem: "1.0", "cp": "9.1"},
                "device": {"kind": "loop", "bytes": 2 << 30, "direct_io": True},
            },
        }
        | changes
    )


def named(slug: str) -> dict:
    """The names of an experiment, from how they are written together: ext4+m0@bfq--picture."""
    configuration, *workload = parts(slug)
    return {"experiment": slug, "configuration": configuration, "workload": workload}


def parts(slug: str) -> list[Part]:
    """The parts of a name that is written together."""
    found = name_fields(slug)
    return [Part(**part) for part in (found["configuration"], *found["workload"])]


def record(exp: Experiment, repetition: int = 1, status: str = "ok", noise: float = 0.05, seed: int = 0) -> Record:
    """One repetition with the metrics of its family; `noise` is the standard deviation of log time."""
    rng = random.Random(f"{seed}-{exp.experiment}-{repetition}")
    filesystem, files = exp.factors.get("filesystem", {}).get("name"), exp.factors.get("library", {}).get("files", 1)
    if exp.family == "filesystem_lifecycle":
        measured = _lifecycle(exp, rng, noise)
    else:
        from factory_families import values

        measured = values(exp, rng, noise)
    begun = START + timedelta(minutes=repetition)
    return Record(
        identity=exp.identity(),
        experiment=exp,
        repetition=repetition,
        status=status,
        reason=None if status == "ok" else f"made {status} by the test",
        started_at=begun,
        finished_at=begun + timedelta(seconds=5),
        measurements=measured if status == "ok" else [],
        series=[Series(name="cpu_busy", unit="1", seconds=[0.0, 0.5], values=[0.1, 0.9])],
        commands=[
            Command(step="format", argv=[f"mkfs.{filesystem}", "/dev/loop9"], exit_code=0, seconds=0.05),
            Command(
                step="copy",
                argv=["cp", "-a", "/source/.", "/target"],
                exit_code=0,
                seconds=next((m.value for m in measured if m.metric == "copy_seconds"), 2.0),
            ),
        ],
        validity=[
            Gate(
                gate="completeness",
                step="copy",
                ok=True,
                observed=files,
                bound=files,
                unit="1",
                detail="all files arrived",
            ),
            Gate(
                gate="quiet_machine",
                step="copy",
                ok=rng.random() > 0.1,
                observed=0.02,
                bound=0.1,
                unit="1",
                detail="CPU stolen or used by others",
            ),
        ],
        environment={"kernel.release": "6.18.0-test", "cpu.model": "Test CPU", "cpu.count": 2},
    )


def _lifecycle(exp: Experiment, rng: random.Random, noise: float) -> list[Measurement]:
    """Metrics of the lifecycle family."""
    filesystem = exp.factors["filesystem"]
    variant = filesystem.get("variant", "default")
    speed = SPEED.get(filesystem["name"], 1.0) * GAIN.get(variant, 1.0)
    reserved = 100_000_000 if filesystem["name"].startswith("ext") and variant != "m0" else 0
    jitter = lambda: rng.lognormvariate(0, noise)  # noqa: E731
    total, files = exp.factors["library"]["total"], exp.factors["library"]["files"]
    copy = 2.0 * speed * jitter()
    values = [
        ("format_seconds", "s", 0.05 * speed * jitter(), "lower"),
        ("copy_seconds", "s", copy, "lower"),
        ("copy_sync_seconds", "s", copy * 0.2, "lower"),
        ("check_seconds", "s", 0.5 * speed * jitter(), "lower"),
        ("delete_seconds", "s", 0.4 * jitter(), "lower"),
        ("delete_sync_seconds", "s", 0.1 * jitter(), "lower"),
        ("format_device_bytes", "B", int(3e7 * speed), "lower"),
        ("free_after_format_bytes", "B", 2_000_000_000 - reserved, "higher"),
        ("reserved_bytes", "B", reserved, "lower"),
        ("used_after_copy_bytes", "B", int(total * (1 + 0.01 * speed)), "lower"),
        ("free_after_copy_bytes", "B", 900_000_000, "higher"),
        ("inodes_created_count", "1", 131072, "none"),
        ("inodes_needed_count", "1", files + 4, "none"),
        ("space_overhead_ratio", "1", 1 + 0.01 * speed, "lower"),
        ("copy_bytes_per_second", "B/s", total / copy, "higher"),
        ("copy_files_per_second", "1/s", files / copy, "higher"),
    ]
    return [
        Measurement(metric=m, unit=u, value=v, better=b)
        for m, u, v, b in values
        if m != "check_seconds" or filesystem.get("check", True)
    ]


def write(root: Path, exp: Experiment, repetitions: int = 3, **how) -> list[Path]:
    """Write spec and records below `root` where the plan would put them; returns the record paths."""
    spec = root / spec_path(exp.testbed, exp.family, exp.experiment, exp.identity())
    spec.parent.mkdir(parents=True, exist_ok=True)
    spec.write_text(Spec(identity=exp.identity(), experiment=exp).model_dump_json())
    paths = []
    for n in range(1, repetitions + 1):
        path = record_path(spec, n)
        path.write_text(record(exp, n, **how).model_dump_json())
        paths.append(path)
    return paths


def write_all(root: Path, repetitions: int = 5, **how) -> list[Path]:
    """All filesystems under all libraries."""
    return [p for fs in SPEED for lib in LIBRARIES for p in write(root, experiment(fs, lib), repetitions, **how)]
