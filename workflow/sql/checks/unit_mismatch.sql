-- the unit of a number is not the one that its metric is declared with
select source, experiment, identity, repetition, metric, measurement.unit, declared.unit as expected_unit, path
from measurement
join metric as declared using (family, metric)
left join record using (source, testbed, family, experiment, identity, repetition)
where declared.unit <> measurement.unit
order by all;
