-- a record says something twice of the machine that it was measured on
with
repeated as (
    select source, identity, repetition, name, count(*) as times
    from environment
    group by source, identity, repetition, name
    having count(*) > 1
)
select source, identity, repetition, name, times, path
from repeated
left join record using (source, identity, repetition)
order by all;
