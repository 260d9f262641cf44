-- the unit of a metric is not the one that its name ends in
with
expected as (
    select
        *,
        case
            when metric like '%\_bytes\_per\_second' escape '\' then 'B/s'
            when metric like '%\_bits\_per\_second' escape '\' then 'bit/s'
            when metric like '%\_per\_second' escape '\' then '1/s'
            when metric like '%\_seconds' escape '\' then 's'
            when metric like '%\_bytes' escape '\' then 'B'
            when regexp_matches(metric, '_(count|ratio|per_100_mb)$') then '1'
            when metric like '%\_levels' escape '\' then 'levels'
            when metric like '%\_db' escape '\' then 'dB'
            when metric like '%\_score' escape '\' then 'points'
        end as expected_unit
    from measurement
)
select source, experiment, identity, repetition, metric, unit, expected_unit, path
from expected
left join record using (source, testbed, family, experiment, identity, repetition)
where expected_unit is distinct from unit
order by all;
