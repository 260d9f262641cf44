-- A larger task took less time than a smaller one.
with
size as (
    select source, identity, name, value::double as size
    from factor
    where source = $source and name in ('file.sources', 'file.megabytes', 'file_size_gb')
),
ordered as (
    select table_name, row_label, column_name, printed, number, decimals, name, size,
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
    printed || ' s at ' || size::bigint || ' is ' || round(100 * (1 - number / number_before)) || ' % less than ' || printed_before
        || ' s at ' || size_before::bigint || ' (' || name || ').' as statement
from ordered
where number < 0.9 * number_before and number_before - number > 1.5 * 10.0 ** -decimals  -- more than the last digit
order by all;
