-- The family `filesystem_lifecycle` with one row per repetition and one column per metric.
create view filesystem_lifecycle as
with
wide as (
    select
        source,
        identity,
        repetition,
        any_value(value) filter (metric = 'format_seconds') as format_seconds,
        any_value(value) filter (metric = 'format_device_bytes') as format_device_bytes,
        any_value(value) filter (metric = 'mount_seconds') as mount_seconds,
        any_value(value) filter (metric = 'copy_seconds') as copy_seconds,
        any_value(value) filter (metric = 'copy_sync_seconds') as copy_sync_seconds,
        any_value(value) filter (metric = 'check_seconds') as check_seconds,
        any_value(value) filter (metric = 'delete_seconds') as delete_seconds,
        any_value(value) filter (metric = 'delete_sync_seconds') as delete_sync_seconds,
        any_value(value) filter (metric = 'unmount_seconds') as unmount_seconds,
        any_value(value) filter (metric = 'free_after_format_bytes') as free_after_format_bytes,
        any_value(value) filter (metric = 'used_after_copy_bytes') as used_after_copy_bytes,
        any_value(value) filter (metric = 'free_after_copy_bytes') as free_after_copy_bytes,
        any_value(value) filter (metric = 'reserved_bytes') as reserved_bytes,
        any_value(value) filter (metric = 'inodes_created_count') as inodes_created_count,
        any_value(value) filter (metric = 'inodes_needed_count') as inodes_needed_count,
        any_value(value) filter (metric = 'space_overhead_ratio') as space_overhead_ratio,
        any_value(value) filter (metric = 'copy_bytes_per_second') as copy_bytes_per_second,
        any_value(value) filter (metric = 'copy_files_per_second') as copy_files_per_second
    from measurement
    group by all
)
select record.* exclude (path), wide.* exclude (source, identity, repetition)
from record
left join wide using (source, identity, repetition)
where record.family = 'filesystem_lifecycle'
order by record.testbed, record.experiment, record.identity, record.repetition;
