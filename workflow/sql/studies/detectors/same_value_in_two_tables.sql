-- One number of five or more digits appears in tables of different experiments or metrics.
with
sample as (
    select *, table_name || ': ' || row_label || ', ' || column_name as name
    from reference_cell
    where source = $source and kind = 'sample' and unit in ('s', 'B', 'B/s')
        and length(trim(trim(replace(printed, '.', ''), '0'))) >= 5
),
pairs as (
    select a.number, a.printed, a.name as first, b.name as second
    from sample a
    join sample b on a.number = b.number and a.decimals = b.decimals
    where a.table_name < b.table_name and a.family not in ('media_requirements', 'media_library')
        and (a.experiment, a.metric) <> (b.experiment, b.metric)
        -- The same files on the same filesystem may well take the same space under other settings.
        and not (a.metric = b.metric and a.unit = 'B' and a.workload = b.workload)
)
select [first, second] as cells, 'The value ' || printed || ' stands in both.' as statement
from pairs
order by all;
