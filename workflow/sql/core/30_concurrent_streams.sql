-- The family `concurrent_streams` with one row per repetition and one column per metric.
create view concurrent_streams as
with
wide as (
    select
        source,
        identity,
        repetition,
        any_value(value) filter (metric = 'streams_sustained_count') as streams_sustained_count,
        any_value(value) filter (metric = 'streams_failed_count') as streams_failed_count,
        any_value(value) filter (metric = 'streams_read_bytes_per_second') as streams_read_bytes_per_second
    from measurement
    group by all
)
select record.* exclude (path), wide.* exclude (source, identity, repetition)
from record
left join wide using (source, identity, repetition)
where record.family = 'concurrent_streams'
order by record.testbed, record.experiment, record.identity, record.repetition;
