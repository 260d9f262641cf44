-- The family `file_creation` with one row per repetition and one column per metric.
create view file_creation as
with
wide as (
    select
        source,
        identity,
        repetition,
        any_value(value) filter (metric = 'creation_seconds') as creation_seconds,
        any_value(value) filter (metric = 'creation_sync_seconds') as creation_sync_seconds,
        any_value(value) filter (metric = 'creation_bytes_per_second') as creation_bytes_per_second
    from measurement
    group by all
)
select record.* exclude (path), wide.* exclude (source, identity, repetition)
from record
left join wide using (source, identity, repetition)
where record.family = 'file_creation'
order by record.testbed, record.experiment, record.identity, record.repetition;
