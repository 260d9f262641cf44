-- Times printed to the millisecond that are whole seconds: measured or written down more coarsely than they look.
with
whole as (
    select table_name, row_label, column_name
    from reference_cell
    where source = $source and kind = 'sample' and unit = 's' and decimals = 3 and number = floor(number)
)
select
    list(table_name || ': ' || row_label || ', ' || column_name order by row_label, column_name) as cells,
    count(*) || ' of the times end in .000; by chance it is one in a thousand.' as statement
from whole
group by table_name
order by all;
