-- What ended the search for a largest number: one row per identity, session, searched metric and answer.
select identity, session, metric.metric, value as cause, count(*) as repetitions
from environment
join record using (source, identity, repetition)
join metric on metric.family = record.family and metric.limited_by = environment.name
where source = $source and status = 'ok' and valid
group by identity, session, metric.metric, value
order by identity, session, metric.metric, value;
