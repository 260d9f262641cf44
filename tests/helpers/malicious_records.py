"""Records that must be rejected, each with the reason: one value of a valid contribution is changed."""

import copy
import hashlib
from collections.abc import Callable
from typing import Any

from malicious import HTML, Records
from spindlemark.core.migrations import name_fields
from spindlemark.core.record import NAMES, canonical


def rehashed(record: dict[str, Any]) -> None:
    """Make the identity the hash of what the record says, whether or not that may be said."""
    hashed = {key: value for key, value in record["experiment"].items() if key not in NAMES}
    record["identity"] = hashlib.sha256(canonical(hashed).encode()).hexdigest()[:12]


def set_value(path: str, value: Any, rehash: bool = False) -> Callable[[Records], None]:
    """Set one value of the first record, as experiment.factors.filesystem.name; numbers are places in lists."""

    def change(records: Records) -> None:
        at: Any = records[0]
        *above, last = path.split("/")
        for key in above:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[int(last) if isinstance(at, list) else last] = value
        if rehash:
            for record in records[:1]:
                rehashed(record)

    return change


def _deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def _measured(metric: str, /, **changed: Any) -> Callable[[Records], None]:
    def change(records: Records) -> None:
        next(m for m in records[0]["measurements"] if m["metric"] == metric).update(changed)

    return change


def _gate(gate: str, /, **changed: Any) -> Callable[[Records], None]:
    def change(records: Records) -> None:
        next(g for g in records[0]["validity"] if g["gate"] == gate).update(changed)

    return change


def _without(part: str, kept: Callable[[dict], bool]) -> Callable[[Records], None]:
    def change(records: Records) -> None:
        records[0][part] = [each for each in records[0][part] if kept(each)]

    return change


def set_in_all(path: str, value: Any) -> Callable[[Records], None]:
    """The same change in every record, with its identity made anew, in the order of the new places."""

    def change(records: Records) -> None:
        for at in range(len(records)):
            one = [records[at]]
            set_value(path, value, rehash=True)(one)

    return change


def _renamed(slug: str) -> Callable[[Records], None]:
    """Another name in every record, also in its parts."""

    def change(records: Records) -> None:
        for record in records:
            record["experiment"] |= {"experiment": slug} | name_fields(slug)

    return change


# name -> (change of the records, words of the reason)
RECORDS_OF: dict[str, tuple[Callable[[Records], Any], str]] = {
    "foreign identity": (set_value("identity", "0123456789ab"), "is not the hash of its experiment"),
    "identity of another experiment": (
        set_value("experiment/factors/filesystem/mkfs", ["mkfs.xfs"]),
        "is not the hash",
    ),
    "identity that is a path": (set_value("identity", "../../etc/x"), "is not the hash of its experiment"),
    "testbed that is a path": (set_in_all("experiment/testbed", "../../x"), "experiment.testbed: is not a valid name"),
    "slug that is a path": (
        set_in_all("experiment/experiment", "../--frames"),
        "experiment.experiment: is not a valid name",
    ),
    "slug with HTML": (
        set_in_all("experiment/experiment", f"btrfs--frames{HTML}"),
        "experiment.experiment: is not a valid name",
    ),
    "family that is no family": (set_in_all("experiment/family", "os.system"), "family os.system: there is no family"),
    "method of the future": (set_in_all("experiment/method", 99), "method 99 of"),
    "slug that lies about the filesystem": (
        set_in_all("experiment/experiment", "xfs--frames"),
        "does not consist of its configuration and workload",
    ),
    "name that lies about the filesystem": (
        _renamed("xfs--frames"),
        "filesystem has another name",
    ),
    "name that lies about the library": (
        _renamed("btrfs--picture"),
        "library has another name",
    ),
    "HTML in a factor's value": (set_in_all("experiment/factors/scheduler", HTML), "factors.scheduler: has markup"),
    "HTML in a factor's name": (
        set_in_all(f"experiment/factors/{HTML}".replace("</", "<"), "1"),
        "is not a name of a fact",
    ),
    "HTML in a variant": (set_in_all("experiment/factors/filesystem/variant", HTML), "filesystem.variant: has markup"),
    "HTML in the processor": (
        set_in_all("experiment/fingerprint/machine/cpu", HTML),
        "fingerprint.machine.cpu: has markup",
    ),
    "HTML in the kernel": (set_in_all("experiment/fingerprint/kernel", HTML), "fingerprint.kernel: has markup"),
    "HTML in the disk's model": (
        set_in_all("experiment/fingerprint/device/model", HTML),
        "fingerprint.device.model: has markup",
    ),
    "HTML in the environment": (set_value("environment/cpu.model", HTML), "environment.cpu.model: has markup"),
    "HTML in a name of the environment": (set_value(f"environment/{HTML}", "1"), "is not a name of a fact"),
    "HTML in a step": (set_value("commands/0/step", HTML), "commands.0.step"),
    "HTML in a gate's unit": (set_value("validity/0/unit", HTML), "validity.0.unit: has markup"),
    "HTML in a series' name": (set_value("series/0/name", HTML), "series.0.name"),
    "HTML in a unit": (_measured("copy_seconds", unit=HTML), "copy_seconds is in"),
    "HTML in a metric": (_measured("copy_seconds", metric=HTML), "is not a metric of filesystem_lifecycle"),
    "text that turns round": (set_in_all("experiment/fingerprint/kernel", "6.1\u202egnp.exe"), "does not print"),
    "text that commands the terminal": (set_value("environment/cpu.model", "\x1b[2J"), "does not print"),
    "session that is a script": (set_value("environment/session.id", "javascript:alert(1)"), "is not a session"),
    "wrong unit": (_measured("copy_seconds", unit="ms"), "copy_seconds is in 'ms'"),
    "wrong direction": (_measured("copy_seconds", better="higher"), "better higher"),
    "metric of another family": (
        _measured("format_seconds", metric="psnr_db", unit="dB", better="higher"),
        "is not a metric of",
    ),
    "metric twice": (lambda r: r[0]["measurements"].append(dict(r[0]["measurements"][0])), "occurs twice"),
    "negative time": (_measured("mount_seconds", value=-1.0), "mount_seconds is negative"),
    "huge number": (_measured("format_device_bytes", value=1e300), "is not a plausible number"),
    "huge whole number": (_measured("format_device_bytes", value=10**30), "not written as"),
    "time longer than the repetition": (_measured("copy_sync_seconds", value=1e6), "in a repetition of"),
    "faster copy than its commands": (
        _measured("copy_seconds", value=0.001),
        "own commands, factors and output it is",
    ),
    "more throughput than its times": (
        _measured("copy_bytes_per_second", value=9e12),
        "own commands, factors and output",
    ),
    "processor time of nobody": (_measured("copy_cpu_seconds", value=0.0), "own commands, factors and output"),
    "gate that does not hold": (_gate("cold_proof", observed=1.0), "is recorded as passed"),
    "gate with a bound of its own": (_gate("clock", bound=1e9), "it must be 0.001"),
    "gate of quiet that allows all": (_gate("quiet_machine", bound=1e9), "must be a share"),
    "gate that tells nothing": (_gate("completeness", observed=None), "lacks its observation"),
    "no gate of the clock": (_without("validity", lambda g: g["gate"] != "clock"), "lacks the gate `clock`"),
    "ok although a gate failed": (_gate("completeness", ok=False, observed=1.0), "is ok, but a gate failed"),
    "ok and nothing measured": (set_value("measurements", []), "there are no measurements"),
    "failed without a reason": (set_value("status", "failed"), "check unexplained_status"),
    "status of its own": (set_value("status", "best"), "status:"),
    "repetition twice": (lambda r: r.insert(1, copy.deepcopy(r[0])), "occurs twice"),
    "records out of order": (lambda r: r.reverse(), "not sorted by path"),
    "host with a path": (
        set_in_all("experiment/fingerprint/host", "../../x"),
        "fingerprint: does not identify a machine",
    ),
    "machine that is a list": (
        set_in_all("experiment/fingerprint/machine", [1]),
        "fingerprint: does not identify a machine",
    ),
    "filesystem that is a list": (set_in_all("experiment/factors/filesystem", [1]), "filesystem has another name"),
    "library without a size": (
        set_in_all("experiment/factors/library", {"name": "frames"}),
        "cannot be computed again",
    ),
    "two machines": (
        lambda r: (r[-1]["experiment"]["fingerprint"].update(host="0" * 12), rehashed(r[-1])),
        "was measured on",
    ),
    "measured tomorrow year": (set_value("finished_at", "2099-01-01T00:00:00Z"), "not a possible time of a repetition"),
    "ends before it begins": (set_value("finished_at", "2026-02-01T00:00:00Z"), "not a possible time of a repetition"),
    "key of its own": (set_value("exec", "rm -rf /"), "exec: Extra inputs"),
    "newer record": (set_value("record_format", 3), "newer version of this program"),
    "nested too deep": (set_value("attachments/deep", _deep(40)), "nested deeper"),
    "nested for a stack": (set_value("attachments/deep", _deep(400)), "line 1"),
    "too many commands": (lambda r: r[0].update(commands=r[0]["commands"] * 700), "commands: has"),
    "home of a person": (set_value("commands/0/stdout", "/home/alice/film.mov"), "personal data (path of a person"),
    "address of a person": (set_value("attachments/note", "alice@example.org"), "personal data (e-mail address)"),
    "hardware address": (set_value("commands/0/argv", ["ip", "52:54:00:12:34:56"]), "personal data (hardware address)"),
}
