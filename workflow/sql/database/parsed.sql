-- One row per raw result, its JSON read with the declared shape: rows of the temporary table `parsed`, which database.py makes
-- part by part from `raw_text(path, text)`.
with
typed as (
    select
        path,
        from_json(text, '{
            "record_format": "INTEGER",
            "identity": "VARCHAR",
            "experiment": {"family": "VARCHAR", "testbed": "VARCHAR", "experiment": "VARCHAR",
                           "configuration": {"value": "VARCHAR", "setting": "VARCHAR", "under": "VARCHAR"},
                           "workload": [{"value": "VARCHAR", "setting": "VARCHAR", "under": "VARCHAR"}],
                           "factors": "JSON", "method": "INTEGER", "fingerprint": "JSON"},
            "repetition": "INTEGER",
            "status": "VARCHAR",
            "reason": "VARCHAR",
            "started_at": "TIMESTAMPTZ",
            "finished_at": "TIMESTAMPTZ",
            "measurements": [{"metric": "VARCHAR", "unit": "VARCHAR", "value": "DOUBLE", "better": "VARCHAR"}],
            "series": [{"name": "VARCHAR", "unit": "VARCHAR", "seconds": ["DOUBLE"], "values": ["DOUBLE"]}],
            "commands": [{"step": "VARCHAR", "argv": ["VARCHAR"], "exit_code": "INTEGER", "seconds": "DOUBLE",
                          "user_seconds": "DOUBLE", "system_seconds": "DOUBLE", "minor_faults": "BIGINT",
                          "major_faults": "BIGINT", "stdout": "VARCHAR", "stderr": "VARCHAR"}],
            "validity": [{"gate": "VARCHAR", "step": "VARCHAR", "ok": "BOOLEAN", "observed": "DOUBLE",
                          "bound": "DOUBLE", "unit": "VARCHAR", "detail": "VARCHAR"}],
            "environment": "JSON"
        }') as content
    from raw_text
)
select
    'measured' as source,
    content.experiment.testbed as testbed,
    content.experiment.family as family,
    content.experiment.experiment as experiment,
    content.* exclude (experiment, started_at, finished_at),
    make_timestamp(epoch_us(content.started_at)) as started_at,
    make_timestamp(epoch_us(content.finished_at)) as finished_at,
    list_transform(
        list_prepend(content.experiment.configuration, content.experiment.workload),
        lambda part: struct_insert(
            part,
            name := concat(part.value, '+' || nullif(part.setting, ''), '@' || nullif(part.under, ''))
        )
    ) as parts,
    content.experiment.factors as factors,
    content.experiment.method as method,
    content.experiment.fingerprint as fingerprint,
    path
from typed;
