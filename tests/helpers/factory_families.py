"""Synthetic experiments of every family but the lifecycle: tuned settings, schedulers, workloads, two kernels."""

import random
from pathlib import Path

from factory import GAIN, SPEED, experiment, named, write
from spindlemark.core.record import Experiment, Measurement

UNITS = (("_bytes_per_second", "B/s"), ("_per_second", "1/s"), ("_seconds", "s"), ("_bytes", "B"))
HIGHER = ("_per_second", "streams_sustained_count", "fresh_streams_count", "aged_streams_count", "read_kept_ratio")
UNDIRECTED = ("streams_failed_count", "overwritten_ratio")
PATTERNS = ("seq1m_q8t1", "seq1m_q1t1", "rnd4k_q32t16", "rnd4k_q1t1")
WORKLOADS = {
    "file_creation": ("one-1gb--direct", "many--direct", "large--cached"),
    "storage_profile": ("",),
    "concurrent_streams": ("25-mbit", "dnxhd-120"),
    "aging": ("",),
}
SUBJECTS = ("ext3", "ext4", "ext4+m0", "ext4@bfq", "xfs", "xfs+log64m", "btrfs", "btrfs+nodatacow@bfq")
VM = {"vm": "6.1.0-test", "vm-6.12": "6.12.0-test"}


def configured(family: str, subject: str, workload: str = "", testbed: str = "loop", **changes) -> Experiment:
    """One experiment of any family: `subject` as ext4+m0@bfq, `workload` as the slug says it."""
    configuration, _, scheduler = subject.partition("@")
    filesystem, _, variant = configuration.partition("+")
    lifecycle = experiment(filesystem, workload or "picture", variant or "default")
    factors = lifecycle.factors | {"scheduler": scheduler or "none"}
    if family != "filesystem_lifecycle":
        factors = {name: value for name, value in factors.items() if name != "library"}
        factors |= {f"part{n}": part for n, part in enumerate(workload.split("--"), start=1) if part}
    slug = f"{subject}--{workload}" if workload else subject
    found = {"family": family, "testbed": testbed, "factors": factors} | named(slug)
    return lifecycle.model_copy(update=found | changes)


def served(server: str = "nginx", library: str = "picture", mtu: int = 1500, **changes) -> Experiment:
    """One experiment of a family that is not there, whose subject is a server and which has no filesystem."""
    factors = {"server": {"name": server, "workers": 2}, "link": {"mtu": mtu}, "library": {"name": library, "files": 5}}
    return experiment(**{"family": "serving", "experiment": f"{server}--{library}", "factors": factors} | changes)


def in_machine(exp: Experiment, testbed: str) -> Experiment:
    """The same experiment in an emulated machine, whose testbed names the kernel."""
    emulator = {"accelerator": "tcg", "emulated": True, "kernel_package": VM[testbed] + "-1"}
    machine = exp.fingerprint["machine"] | emulator
    device = {"kind": "vm", "bytes": 2 << 30}
    fingerprint = exp.fingerprint | {"kernel": VM[testbed], "machine": machine, "device": device}
    return exp.model_copy(update={"testbed": testbed, "fingerprint": fingerprint})


def values(exp: Experiment, rng: random.Random, noise: float) -> list[Measurement]:
    """Measurements of one repetition of a family that is not the lifecycle."""
    filesystem = exp.factors.get("filesystem", {})
    cost = SPEED.get(filesystem.get("name"), 1.0) * GAIN.get(filesystem.get("variant", "default"), 1.0)
    cost *= {"none": 1.0, "bfq": 1.1}.get(exp.factors.get("scheduler"), 1.0)
    slow = lambda: cost * rng.lognormvariate(0, noise)  # noqa: E731
    known = globals().get(f"_{exp.family}", lambda _: {})  # a test that says its own values needs none here
    return [measurement(metric, value) for metric, value in known(slow).items()]


def write_families(root: Path, repetitions: int = 3, **how) -> list[Path]:
    """Every family with tuned subjects and schedulers on the loop testbed, and the lifecycle under two kernels."""
    exps = [
        configured(family, subject, workload)
        for family, workloads in WORKLOADS.items()
        for workload in workloads
        for subject in SUBJECTS
    ]
    exps += [
        configured("filesystem_lifecycle", subject, library)
        for subject in SUBJECTS
        for library in ("picture", "video-hd")
    ]
    exps += [
        in_machine(configured("filesystem_lifecycle", subject, "picture"), testbed)
        for subject in ("ext4", "xfs", "jfs")
        for testbed in VM
    ]
    return [path for exp in exps for path in write(root, exp, repetitions, **how)]


def _serving(slow) -> dict[str, float]:
    return {"answer_seconds": slow()}


def _file_creation(slow) -> dict[str, float]:
    seconds = 1.5 * slow()
    return {
        "creation_seconds": seconds,
        "creation_sync_seconds": seconds * 0.1,
        "creation_bytes_per_second": 1e9 / seconds,
    }


def _storage_profile(slow) -> dict[str, float]:
    found = {}
    for pattern in PATTERNS:
        for way in ("read", "write"):
            size, rate = (1 << 20, 400) if pattern.startswith("seq") else (4096, 5000)
            iops = rate / slow()
            found |= {f"{pattern}_{way}_bytes_per_second": iops * size, f"{pattern}_{way}_iops_per_second": iops}
            found |= {
                f"{pattern}_{way}_latency_{point}_seconds": times / iops
                for point, times in (("median", 1.0), ("p95", 3.0), ("p99", 9.0))
            }
    return found


def _concurrent_streams(slow) -> dict[str, float]:
    streams = round(40 / slow())
    return {
        "streams_sustained_count": streams,
        "streams_read_bytes_per_second": streams * 25e6 / 8,
        "streams_failed_count": streams + 1,
    }


def _aging(slow) -> dict[str, float]:
    fresh, kept = 8e7 / slow(), 0.8 / slow()
    return {
        "fresh_extents_per_100_mb": 4.0,
        "aged_extents_per_100_mb": 20 * slow(),
        "fresh_read_bytes_per_second": fresh,
        "aged_read_bytes_per_second": fresh * kept,
        "fresh_streams_count": 20,
        "aged_streams_count": round(15 / slow()),
        "overwritten_ratio": 10.0,
        "read_kept_ratio": kept,
    }


def measurement(metric: str, value: float) -> Measurement:
    """A value with the unit that the metric's name ends in, and its direction."""
    unit = next((unit for end, unit in UNITS if metric.endswith(end)), "1")
    better = "none" if metric in UNDIRECTED else "higher" if metric.endswith(HIGHER) else "lower"
    return Measurement(metric=metric, unit=unit, value=value, better=better)
