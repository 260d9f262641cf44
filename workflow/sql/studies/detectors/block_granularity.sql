-- A size in KiB that is not a multiple of the 4 KiB blocks, although nearly all others are.
with
sizes as (
    select *, number % 4 = 0 as whole
    from reference_cell
    where source = $source and kind = 'sample' and meant_unit = 'KiB' and decimals = 0 and family = 'filesystem_lifecycle'
),
share as (select avg(whole::int) as whole_share, count(*) as n from sizes)
select
    [table_name || ': ' || row_label || ', ' || column_name] as cells,
    printed || ' is not a multiple of 4; ' || round(100 * whole_share) || ' % of the ' || n || ' sizes are.' as statement
from sizes, share
where not whole and whole_share > 0.9
order by all;
