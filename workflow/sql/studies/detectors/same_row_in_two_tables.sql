-- Two rows of different tables agree in two or more numbers.
with
cell as (
    select table_name, row_number, row_label, column_name, number
    from reference_cell
    where source = $source and position = 1 and number is not null and number <> 0
        and length(trim(trim(replace(replace(printed, '.', ''), '%', ''), '0'))) >= 3 and kind <> 'text'
),
shared as (
    select a.table_name as ta, a.row_label as ra, b.table_name as tb, b.row_label as rb,
        count(*) as same, string_agg(a.number::varchar, ', ' order by a.column_name) as numbers
    from cell a
    join cell b on a.number = b.number and a.column_name = b.column_name
    where a.table_name < b.table_name
    group by all
)
select [ta || ': ' || ra, tb || ': ' || rb] as cells, 'Both rows have ' || numbers || '.' as statement
from shared
where same >= 2
    and not exists (  -- rows that are meant to repeat others
        from reference_cell r
        where r.source = $source and r.kind = 'derived' and r.table_name = tb and r.row_label = rb and r.column_name = 'format_time'
    )
    and not exists (  -- tables that are meant to repeat others
        from reference_cell r
        where r.source = $source and r.table_name in (ta, tb) and r.family = 'media_library'
    )
order by all;
