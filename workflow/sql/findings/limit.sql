-- What ended the search for a largest number of streams, viewers or receivers: one row per identity, session, environment field and answer.
select identity, session, name, value as cause, count(*) as repetitions
from environment
join record using (source, identity, repetition)
where source = $source and status = 'ok' and valid and regexp_matches(name, '^(streams|live_streams|viewers|receivers)\..*limited_by$')
group by identity, session, name, value
order by identity, session, name, value;
