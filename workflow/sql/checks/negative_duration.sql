-- a repetition ends before it starts, or one of its commands took less than no time
select source, experiment, identity, repetition, started_at, finished_at, path
from record
where finished_at < started_at
union all
select source, experiment, identity, repetition, started_at, finished_at, path
from record
semi join (from command where seconds < 0) as backward using (source, identity, repetition)
order by all;
