-- Numbers with fewer decimals than the rest of their table: a last digit may be lost.
with
cell as (
    select *, mode(decimals) over (partition by table_name) as usual, count(*) over (partition by table_name) as n
    from reference_cell
    where source = $source and kind = 'sample' and unit = 'B/s' and number is not null
)
select
    list(table_name || ': ' || row_label || ', ' || column_name order by row_number, column_name) as cells,
    string_agg(printed, ', ' order by row_number, column_name) || ': the rest of the table has ' || any_value(usual) || ' decimals.'
        as statement
from cell
where decimals < usual and n > 4
group by table_name
order by all;
