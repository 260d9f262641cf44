-- Facts that all repetitions of an experiment recorded alike, of the names in $names.
select identity, name, any_value(value)
from environment
where source = 'measured' and name in (select unnest($names))
group by all
having count(distinct value) = 1;
