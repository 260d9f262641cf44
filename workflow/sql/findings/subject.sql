-- One row per subject of a group: the newest identity among those measured under the same conditions.
-- What makes two identities comparable is everything in them but the configuration, which is the subject, and its tools.
-- A configuration names its I/O scheduler (ext4@bfq) unless it is the testbed's own. What has the testbed's own is
-- compared under that one condition; what names another one joins the newest of them, since it is the same under each.
-- Studies keep what they call tests that were run together, the `series`.
with
described as (
    select
        source,
        identity,
        any_value(value) filter (name = 'scheduler') as scheduler,
        to_json(map_from_entries(list((name, value) order by name)
            filter (name like 'library.%' and name <> 'library.name'))) as library_factors,
        map_from_entries(list((name, value) order by name) filter (
            name in ('method', 'series')
            or (name like 'fingerprint.%' and name not like 'fingerprint.tools.%')
            or (source = 'measured' and not regexp_matches(name, '^(fingerprint|filesystem|library)\.|^scheduler$'))
        )) as shared
    from factor
    group by source, identity
),
measured as (
    select
        source, testbed, family, library, subject, experiment, identity,
        source = 'measured' and contains(subject, '@') as names_its_scheduler,
        max(started_at) as newest,
        count(*) as repetitions,
        count(*) filter (status = 'ok' and valid) as ok_repetitions
    from record
    where source = $source
    group by all
),
testbeds as (
    select source, testbed, arg_max(scheduler, (newest, scheduler)) as scheduler
    from measured
    join described using (source, identity)
    where not names_its_scheduler and scheduler is not null
    group by source, testbed
),
conditioned as (
    select
        measured.*,
        library_factors,
        to_json(if(
            described.scheduler is null,
            shared,
            map_concat(shared, map {
                if(source = 'measured', 'default_scheduler', 'scheduler'):
                if(names_its_scheduler, testbeds.scheduler, described.scheduler)
            })
        )) as conditions
    from measured
    join described using (source, identity)
    left join testbeds using (source, testbed)
),
comparable as (
    select *, max(newest) over (
        partition by source, testbed, family, library, library_factors, conditions) as group_newest
    from conditioned
)
select *
from comparable
qualify row_number() over (
    partition by source, testbed, family, library, library_factors, conditions, subject
    order by newest desc, identity
) = 1
order by testbed, library, family, group_newest desc, conditions, library_factors, subject;
