"""Findings of a family from records with given factors, values and attachments, and what its charts see of them."""

import raw_records
from factory import experiment, record
from spindlemark.analysis import database, findings
from spindlemark.core.paths import record_path, spec_path
from spindlemark.core.record import Measurement, Spec
from spindlemark.families import registry as families
from spindlemark.site import query
from spindlemark.site.charts.chart_model import ChartData


def made(folder, family, rows):
    """Findings of the family and what its pictures see, from three repetitions of each row.

    A row returns the chosen values, all factors, the measured values, and if needed the attachments, the kernel and the testbed.
    """
    found = []
    for row in rows:
        for n in (1, 2, 3):
            chosen, factors, values, *kept = row(n)
            testbed = kept[2] if len(kept) > 2 else "loop"
            exp = experiment(family=family, testbed=testbed, experiment="--".join(chosen.values()), factors=factors)
            if len(kept) > 1:
                exp = exp.model_copy(update={"fingerprint": exp.fingerprint | {"kernel": kept[1]}})
            spec = folder / spec_path(exp.testbed, exp.family, exp.experiment, exp.identity())
            spec.parent.mkdir(parents=True, exist_ok=True)
            spec.write_text(Spec(identity=exp.identity(), experiment=exp).model_dump_json())
            known = families.metrics(family)
            found.append(record_path(spec, n))
            found[-1].write_text(
                record(experiment(), n)
                .model_copy(
                    update={
                        "identity": exp.identity(),
                        "experiment": exp,
                        "attachments": kept[0] if kept else {},
                        "measurements": [
                            Measurement(metric=m, unit=known[m].unit, value=v, better=known[m].better)
                            for m, v in values.items()
                        ],
                    }
                )
                .model_dump_json()
            )
    database.build(found, folder / "x.duckdb")
    all_found = findings.compute(folder / "x.duckdb", findings.load(), 0.2)
    return all_found, seen_of(all_found, folder)


def seen_of(found, folder):
    with query.connect(folder / "x.duckdb") as connection:
        records = query.records(connection)
        factors = query.factors(connection, [identity for _, identity in records])
        return ChartData(found, records, factors, raw_records.below(folder / "data" / "raw"))
