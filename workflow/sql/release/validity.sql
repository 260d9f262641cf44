-- Every validity gate: observed value and bound.
select *
from validity
where source = 'measured'
order by all;
