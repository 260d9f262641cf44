-- a value is negative or not finite
select source, experiment, identity, repetition, metric, value, unit, path
from measurement
left join record using (source, testbed, family, experiment, identity, repetition)
where value is null or not isfinite(value) or value < 0
order by all;
