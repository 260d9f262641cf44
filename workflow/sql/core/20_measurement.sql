-- The long table: one row per measured number. Published figures join it with the study's id as `source`.
create table measurement as
with
each_measurement as (
    select source, testbed, family, experiment, identity, repetition, status, started_at, unnest(measurements) as m
    from parsed
)
select
    source,
    testbed,
    family,
    experiment,
    identity,
    repetition,
    m.metric as metric,
    m.unit as unit,
    m.value as value,
    m.better as better,
    status,
    started_at
from each_measurement
order by all;
