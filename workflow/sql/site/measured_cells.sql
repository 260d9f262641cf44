-- What valid repetitions of this version measured: families, experiments and metrics.
select distinct family, experiment, metric
from measurement
join record using (source, testbed, family, experiment, identity, repetition)
where source = 'measured' and record.status = 'ok' and valid;
