-- A printed average is outside the range of the tests that it averages.
with
bounds as (
    select table_name, row_label, min(number) as low, max(number) as high
    from reference_cell
    where source = $source and column_name like 'test\_%' escape '\' and kind = 'sample'
    group by all
)
select
    [table_name || ': ' || row_label || ', average'] as cells,
    'The average ' || printed || ' is outside ' || low || ' to ' || high || '.' as statement
from reference_cell
join bounds using (table_name, row_label)
where source = $source and column_name = 'average' and (number < low or number > high)
order by all;
