-- The tests of a published study, each with what it must share with others to be compared: what its authors ran
-- together, the `series`. `library`: the media library, or what a configuration is applied to where a study has none.
with
described as (
    select
        source,
        identity,
        any_value(value) filter (name = 'library.name') as named,
        to_json(map_from_entries(list((name, value) order by name = 'scheduler', name)
            filter (name in ('method', 'series', 'scheduler')))) as conditions
    from factor
    where source = $source
    group by source, identity
),
measured as (
    select
        source, testbed, family, experiment, configuration, workload, identity, session,
        count(*) as repetitions,
        count(*) filter (status = 'ok' and valid) as ok_repetitions
    from record
    where source = $source
    group by all
),
placed as (
    select
        * exclude (source, named, configuration, workload),
        configuration,
        coalesce(named, nullif(workload, '')) as library
    from measured
    join described using (source, identity)
)
select *
from placed
qualify row_number() over (partition by testbed, library, family, conditions, configuration order by identity) = 1
order by testbed, library, family, conditions, configuration;
