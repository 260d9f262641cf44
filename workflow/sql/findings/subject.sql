-- One row per subject of a group: the newest identity among those measured under the same conditions.
-- What makes two identities comparable is everything in them but the subject's own settings and tools. `series` is
-- how studies call tests that were run together.
with
described as (
    select
        source,
        identity,
        to_json(map_from_entries(list((name, value) order by name)
            filter (name like 'library.%' and name <> 'library.name'))) as library_factors,
        to_json(map_from_entries(list((name, value) order by name) filter (
            name in ('method', 'scheduler', 'series')
            or (name like 'fingerprint.%' and name not like 'fingerprint.tools.%')
        ))) as conditions
    from factor
    group by source, identity
),
measured as (
    select
        source, testbed, family, library, subject, experiment, identity,
        max(started_at) as newest,
        count(*) as repetitions,
        count(*) filter (status = 'ok' and valid) as ok_repetitions
    from record
    where source = $source
    group by all
),
comparable as (
    select *, max(newest) over (
        partition by source, testbed, family, library, library_factors, conditions) as group_newest
    from measured
    join described using (source, identity)
)
select *
from comparable
qualify row_number() over (
    partition by source, testbed, family, library, library_factors, conditions, subject
    order by newest desc, identity
) = 1
order by testbed, library, family, group_newest desc, conditions, library_factors, subject;
