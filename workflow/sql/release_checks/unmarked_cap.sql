-- a searched number is the largest that was tried, and its record does not say so; or it says so of another number
with
searched as (
    select measurement.*, limited_by, failed, most, method, path
    from measurement
    join metric using (family, metric)
    join record using (source, testbed, family, experiment, identity, repetition)
    where kind = 'searched' and limited_by is not null and record.status = 'ok' and valid
),
compared as (
    select
        searched.*,
        coalesce(environment.value, '') = 'most_streams' as marked,
        coalesce(searched.value >= try_cast(factor.value as double), false) as at_cap,
        coalesce(smallest.value = 0, false) as none_failed
    from searched
    left join environment
        on environment.source = searched.source
            and environment.identity = searched.identity
            and environment.repetition = searched.repetition
            and environment.name = limited_by
    left join factor
        on factor.source = searched.source and factor.identity = searched.identity and factor.name = most
    left join measurement as smallest
        on smallest.source = searched.source
            and smallest.identity = searched.identity
            and smallest.repetition = searched.repetition
            and smallest.metric = failed
)
select source, experiment, identity, repetition, metric, value, marked, at_cap, none_failed, path
from compared
anti join erratum
    on check_name = 'unmarked_cap'
        and erratum.family = compared.family
        and erratum.metric = compared.metric
        and compared.method <= through_method
where marked <> (at_cap or none_failed)
order by all;
