-- More than two edits in each second of a programme.
with
wide as (
    select table_name, row_label,
        any_value(value) filter (metric = 'edits_count') as edits,
        any_value(value) filter (metric = 'programme_seconds') as seconds
    from reference_cell
    where source = $source
    group by all
)
select
    [table_name || ': ' || row_label || ', duration'] as cells,
    edits::int || ' edits in ' || seconds::int || ' s are ' || round(edits / seconds, 1) || ' in each second; the median of the '
        || 'others is ' || (select round(median(edits / seconds), 2) from wide where edits / seconds <= 2) || '.' as statement
from wide
where edits / seconds > 2
order by all;
