-- a record is ok but lacks a metric, or all metrics, that it ought to have, and no field `absent.<metric>` says why
with
explained as (
    select source, identity, repetition, list(substr(name, 8)) as absent
    from environment
    where name like 'absent.%'
    group by source, identity, repetition
),
per_record as (
    select
        source, experiment, identity, repetition, path,
        list(metric) filter (metric is not null) as metrics,
        any_value(absent) as absent
    from record
    left join measurement using (source, testbed, family, experiment, identity, repetition)
    left join explained using (source, identity, repetition)
    where record.status = 'ok'
    group by source, experiment, identity, repetition, path
),
per_identity as (
    select source, identity, list_distinct(flatten(list(metrics))) as expected
    from per_record
    group by source, identity
),
compared as (
    select
        per_record.*,
        list_filter(expected, lambda m: not list_contains(list_concat(metrics, coalesce(absent, [])), m)) as lacking
    from per_record
    join per_identity using (source, identity)
)
select source, experiment, identity, repetition, array_to_string(list_sort(lacking), ' ') as missing, path
from compared
where metrics is null or len(lacking) > 0
order by all;
