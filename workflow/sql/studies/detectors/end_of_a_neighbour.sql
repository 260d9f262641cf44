-- A number has the digits of a neighbour in its column without the first ones.
with
cell as (
    select table_name, column_name, row_number, row_label, printed, row_number + 1 as next
    from reference_cell
    where source = $source and number is not null and kind <> 'text' and position = 1
)
select
    [b.table_name || ': ' || b.row_label || ', ' || b.column_name] as cells,
    b.printed || ' is the end of ' || a.printed || ' in the row above.' as statement
from cell a
join cell b on a.table_name = b.table_name and a.column_name = b.column_name and a.next = b.row_number
where a.printed <> b.printed and a.printed like '%' || b.printed and length(replace(b.printed, '.', '')) >= 4
order by all;
