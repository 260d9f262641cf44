-- Gates that did not hold, per repetition.
select *
from validity
where not ok and identity in (select unnest($identities))
order by identity, repetition, position;
