-- Load sampled while the repetitions ran.
select *
from series
where identity in (select unnest($identities))
order by identity, name, repetition;
