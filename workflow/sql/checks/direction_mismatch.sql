-- a metric is better lower in one record and not in another of its family
with
directions as (
    select family, metric, mode(better order by better) as usual_direction
    from measurement
    group by family, metric
    having count(distinct better) > 1
)
select source, family, metric, better, usual_direction, identity, repetition, path
from measurement
join directions using (family, metric)
left join record using (source, testbed, family, experiment, identity, repetition)
where better <> usual_direction
order by all;
