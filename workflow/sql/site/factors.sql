-- Every factor of some experiments.
select *
from factor
where source = 'measured' and identity in (select unnest($identities))
order by experiment, identity, name;
