-- The settings that a recipe is made of, and how exactly a search for a largest number was made, per identity.
select identity, name, value
from factor
where source = $source and (name like 'filesystem.%' or name in ('scheduler', 'streams.resolution'))
order by identity, name;
