-- The family `aging` with one row per repetition and one column per metric.
create view aging as
with
wide as (
    select
        source,
        identity,
        repetition,
        any_value(value) filter (metric = 'overwritten_ratio') as overwritten_ratio,
        any_value(value) filter (metric = 'fresh_extents_per_100_mb') as fresh_extents_per_100_mb,
        any_value(value) filter (metric = 'aged_extents_per_100_mb') as aged_extents_per_100_mb,
        any_value(value) filter (metric = 'fresh_read_bytes_per_second') as fresh_read_bytes_per_second,
        any_value(value) filter (metric = 'aged_read_bytes_per_second') as aged_read_bytes_per_second,
        any_value(value) filter (metric = 'read_kept_ratio') as read_kept_ratio,
        any_value(value) filter (metric = 'fresh_streams_count') as fresh_streams_count,
        any_value(value) filter (metric = 'aged_streams_count') as aged_streams_count
    from measurement
    group by all
)
select record.* exclude (path), wide.* exclude (source, identity, repetition)
from record
left join wide using (source, identity, repetition)
where record.family = 'aging'
order by record.testbed, record.experiment, record.identity, record.repetition;
