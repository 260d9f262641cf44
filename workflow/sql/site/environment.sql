-- Facts about the machine: the smallest and the largest value that the repetitions of an experiment recorded.
select identity, name, coalesce(min(value), '') as least, coalesce(max(value), '') as most
from environment
where source = 'measured' and identity in (select unnest($identities))
group by identity, name
order by identity, name;
