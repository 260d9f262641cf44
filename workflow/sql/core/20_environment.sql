-- The machine as it was when the repetition ran, one fact per row.
create table environment as
with
each_fact as (
    select source, identity, repetition, unnest(map_entries(environment)) as fact
    from parsed
)
select source, identity, repetition, fact.key as name, fact.value as value
from each_fact
order by all;
