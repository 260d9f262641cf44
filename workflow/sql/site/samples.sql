-- Every measured value of some experiments.
select experiment, identity, metric, unit, better, repetition, value
from measurement
where source = 'measured' and identity in (select unnest($identities))
order by experiment, identity, metric, repetition;
