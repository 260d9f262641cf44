-- Identity -> the value of one factor, where it has it.
select identity, value
from factor
where source = 'measured' and name = $factor
order by identity;
