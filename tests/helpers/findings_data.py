"""Databases with chosen samples, for the tests of findings."""

from collections.abc import Callable, Sequence
from pathlib import Path

import factory
import factory_families
from spindlemark.analysis import database, findings
from spindlemark.analysis.findings.model import Findings, Group, MetricTable
from spindlemark.core.migrations import name_fields
from spindlemark.core.paths import record_path, spec_path
from spindlemark.core.record import Experiment, Gate, Measurement, Part, Record
from spindlemark.site.configuration_labels import Configurations

DECLARED = findings.load()
UNITS = {"seconds": "s", "bytes": "B", "ratio": "1", "count": "1"}
Values = dict[str, Sequence[float]]


def configurations(*names: str) -> Configurations:
    """The parts of names such as ext4+m0@bfq, as a database has them."""
    return Configurations({name: Part(**name_fields(name)["configuration"]) for name in names})


class Lab:
    """Writes records with given values below a folder, and computes findings from all of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.records: list[Path] = []

    def measured(
        self,
        subject: str,
        values: Values,
        library: str = "picture",
        noisy: Sequence[int] = (),
        change: Callable[[Record], dict] = lambda record: {},
        **changes,
    ) -> Experiment:
        """One subject: metric -> one value per repetition; `noisy` repetitions had a busy machine while copying."""
        filesystem, _, variant = subject.partition("+")
        exp = factory.experiment(filesystem, library, variant or "default", **changes)
        self.repeated(exp, values, noisy, change)
        return exp

    def repeated(
        self,
        exp: Experiment,
        values: Values,
        noisy: Sequence[int] = (),
        change: Callable[[Record], dict] = lambda record: {},
        first: int = 1,
    ) -> None:
        """Repetitions of one experiment of any family, numbered from `first`."""
        for n, each in enumerate(zip(*values.values(), strict=True), start=first):
            record = factory.record(exp, n).model_copy(
                update={
                    "measurements": [_measurement(metric, value) for metric, value in zip(values, each, strict=True)],
                    "validity": [
                        Gate(gate="quiet_machine", step=step, ok=step != "copy" or n not in noisy, detail="others' CPU")
                        for step in ("copy", "check")
                    ],
                }
            )
            self._write(record.model_copy(update=change(record)))

    def without_samples(self, exp: Experiment, repetition: int, status: str) -> None:
        """A repetition that did not end well."""
        self._write(factory.record(exp, repetition, status))

    def findings(self, declared: findings.Recommendations = DECLARED, relative_width: float = 0.2) -> Findings:
        """The findings of everything written so far."""
        database.build(self.records, self.root / "x.duckdb")
        return findings.compute(self.root / "x.duckdb", declared, relative_width)

    def group(self, **how) -> Group:
        """The only group."""
        groups = self.findings(**how).groups
        assert len(groups) == 1
        return groups[0]

    def table(self, metric: str = "copy_seconds", **how) -> MetricTable:
        """One metric of the only group."""
        return next(table for table in self.group(**how).metrics if table.metric == metric)

    def _write(self, record: Record) -> None:
        exp = record.experiment
        spec = self.root / spec_path(exp.testbed, exp.family, exp.experiment, exp.identity())
        path = record_path(spec, record.repetition)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(record.model_dump_json())
        self.records.append(path)


def run(name: str = "", session: str = "", looks: int = 0) -> Callable[[Record], dict]:
    """A change of records: measured in this run, in rounds of its own, after so many looks at the verdicts."""

    def change(record: Record) -> dict:
        told = {
            "run.round": f"{name}.{record.repetition}" if name else None,
            "session.id": session or None,
            "run.looks": looks,
        }
        return {"environment": record.environment | {key: value for key, value in told.items() if value is not None}}

    return change


def _measurement(metric: str, value: float) -> Measurement:
    if "streams" in metric or "latency" in metric:
        return factory_families.measurement(metric, value)
    rate = "B/s" if metric.endswith("bytes_per_second") else "1/s" if metric.endswith("_per_second") else ""
    unit = rate or UNITS[metric.rsplit("_", 1)[1]]
    much = rate or "free" in metric or "saved" in metric
    better = "none" if unit == "1" and metric.endswith("count") else "higher" if much else "lower"
    return Measurement(metric=metric, unit=unit, value=value, better=better)
