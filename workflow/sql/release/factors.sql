-- Every factor of every measured experiment.
select *
from factor
where source = 'measured'
order by all;
