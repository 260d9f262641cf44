-- The settings that a recipe is made of, per identity.
select identity, name, value
from factor
where source = $source and (name like 'filesystem.%' or name = 'scheduler')
order by identity, name;
