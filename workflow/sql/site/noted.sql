-- Facts that are equal in all repetitions of an experiment, for the names in $names.
select identity, name, any_value(value)
from environment
where source = 'measured' and name in (select unnest($names))
group by all
having count(distinct value) = 1;
