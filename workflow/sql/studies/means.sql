-- The means of one study, $source, for reference_mean.
insert into reference_mean
with
series as (
    select source, identity, value as series from factor where name = 'series' and source = $source
)
select
    source,
    testbed,
    family,
    metric,
    experiment,
    split_part(experiment, '--', 1) as subject,
    split_part(experiment, '--', 2) as library,
    series,
    count(*) as n,
    avg(value) as mean,
    min(value) as smallest,
    max(value) as largest,
    any_value(better) as better
from measurement
join series using (source, identity)
where source = $source
group by all;
