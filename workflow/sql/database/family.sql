-- One family with one row per repetition and one column per metric; database.py fills in {family} and its {metrics}.
create view {family} as
with
wide as (
    pivot (select source, identity, repetition, metric, value from measurement)
    on metric in ({metrics})
    using any_value(value)
    group by source, identity, repetition
)
select record.* exclude (path), wide.* exclude (source, identity, repetition)
from record
left join wide using (source, identity, repetition)
where record.family = '{family}'
order by record.testbed, record.experiment, record.identity, record.repetition;
