-- The parts of the name of each experiment, in their order.
select identity, value, setting, under
from name_part
where source = $source
order by identity, position;
