-- The machine at each repetition, one fact per row.
select *
from environment
where source = 'measured'
order by all;
