-- a record is not ok but gives no reason
select source, experiment, identity, repetition, status, path
from record
where status <> 'ok' and coalesce(trim(reason), '') = ''
order by all;
