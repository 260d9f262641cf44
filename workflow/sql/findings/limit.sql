-- What ended the search for a largest number of streams: one row per identity, environment field and answer.
select identity, name, value as cause, count(*) as repetitions
from environment
semi join (from record where source = $source and status = 'ok' and valid) as counted using (identity, repetition)
where source = $source and name like 'streams.%limited\_by' escape '\'
group by identity, name, value
order by identity, name, value;
