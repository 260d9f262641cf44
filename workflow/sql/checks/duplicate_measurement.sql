-- a metric was recorded more than once for one repetition
select source, testbed, experiment, identity, repetition, metric, count(*) as times, any_value(path) as path
from measurement
left join record using (source, testbed, family, experiment, identity, repetition)
group by source, testbed, experiment, identity, repetition, metric
having count(*) > 1
order by all;
