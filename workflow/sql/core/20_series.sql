-- Load sampled while a repetition ran; `seconds` since its start, both lists of equal length.
create table series as
with
each_series as (
    select source, identity, repetition, unnest(series) as s
    from parsed
)
select source, identity, repetition, s.name as name, s.unit as unit, s.seconds as seconds, s.values as "values"
from each_series
order by source, identity, repetition, name;
