-- Every repetition of this machine: published studies share the table.
select *
from record
where source = 'measured'
order by all;
