-- Every measured value, one row each; published figures share the table.
select *
from measurement
where source = 'measured'
order by all;
