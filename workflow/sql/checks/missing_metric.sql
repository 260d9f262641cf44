-- a record is ok but lacks a metric, or all metrics, that it ought to have
with
per_record as (
    select source, experiment, identity, repetition, path, list(metric) filter (metric is not null) as metrics
    from record
    left join measurement using (source, testbed, family, experiment, identity, repetition)
    where record.status = 'ok'
    group by all
),
per_identity as (
    select source, identity, list_distinct(flatten(list(metrics))) as expected
    from per_record
    group by source, identity
)
select
    source,
    experiment,
    identity,
    repetition,
    array_to_string(list_sort(list_filter(expected, lambda m: not list_contains(metrics, m))), ' ') as missing,
    path
from per_record
join per_identity using (source, identity)
where metrics is null or len(metrics) < len(expected)
order by all;
