-- A column of one block of a table repeats a column of another block word for word.
with
blocks as (
    select table_name, split_part(row_label, ' / ', 1) as block, column_name, list(printed order by row_number) as words
    from reference_cell
    where source = $source and number is null and row_label like '% / %' and column_name not in ('task', 'library', 'test', 'operation')
    group by all
    having count(*) >= 3 and count(distinct printed) > 1
)
select
    [a.table_name || ': ' || a.block || ', ' || a.column_name, b.table_name || ': ' || b.block || ', ' || b.column_name] as cells,
    'Both read ' || array_to_string(a.words, ', ') || '.' as statement
from blocks a
join blocks b on a.table_name = b.table_name and a.words = b.words and (a.block, a.column_name) < (b.block, b.column_name)
order by all;
