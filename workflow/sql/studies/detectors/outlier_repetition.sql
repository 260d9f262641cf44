-- One of three tests is far from two that agree.
with
tests as (
    select experiment, metric, identity, list(number order by number) as v, any_value(table_name) as table_name,
        any_value(row_label) as row_label, list({'c': column_name, 'n': number, 'p': printed} order by number) as named
    from reference_cell
    where source = $source and kind = 'sample'
    group by experiment, metric, identity
    having count(*) = 3
),
gap as (
    select *, least(v[2] - v[1], v[3] - v[2]) as near, greatest(v[2] - v[1], v[3] - v[2]) as far,
        if(v[2] - v[1] > v[3] - v[2], named[1], named[3]) as odd
    from tests
)
select
    [table_name || ': ' || row_label || ', ' || odd.c] as cells,
    odd.p || ' lies ' || round(100 * far / v[2], 2) || ' % from the middle of its three tests; the others differ by '
        || round(100 * near / v[2], 3) || ' %.' as statement
from gap
where far > 10 * near and far > 0.0005 * v[2]
    and (far > 0.02 * v[2] or metric like '%bytes')
order by all;
