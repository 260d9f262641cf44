-- A task took more than five times as long for each unit of its size as the next smaller one.
with
size as (
    select source, identity, name, value::double as size
    from factor
    where source = $source and name in ('file.sources', 'file.megabytes', 'file_size_gb')
),
ordered as (
    select table_name, row_label, column_name, printed, number, name, size,
        lag(number) over step as number_before, lag(printed) over step as printed_before, lag(size) over step as size_before
    from reference_cell
    join size using (source, identity)
    where kind = 'sample' and unit = 's' and number is not null
    window step as (
        partition by table_name, metric, if(name = 'file_size_gb', row_label, column_name) order by size
    )
)
select
    [table_name || ': ' || row_label || ', ' || column_name] as cells,
    printed || ' s at ' || size::bigint || ' after ' || printed_before || ' s at ' || size_before::bigint || ' (' || name || '): '
        || round(number / number_before, 1) || ' times the time for ' || round(size / size_before, 1) || ' times the size.' as statement
from ordered
where number / number_before > 5 * size / size_before
order by all;
