-- The means of one study, $source, for reference_mean.
insert into reference_mean
with
series as (
    select source, identity, value as series from factor where name = 'series' and source = $source
),
named as (
    select distinct source, identity, configuration, workload from record where source = $source
)
select
    source,
    testbed,
    family,
    metric,
    experiment,
    configuration as subject,
    workload as library,
    series,
    count(*) as n,
    avg(value) as mean,
    min(value) as smallest,
    max(value) as largest,
    any_value(better) as better
from measurement
join series using (source, identity)
join named using (source, identity)
where source = $source
group by all;
