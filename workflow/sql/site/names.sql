-- The parts of the names of some experiments, in their order.
select identity, value, setting, under
from name_part
where source = 'measured' and identity in (select unnest($identities))
order by identity, position;
