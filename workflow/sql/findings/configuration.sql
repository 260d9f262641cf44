-- The identities of a family, each with what it must share with others to be compared in one question: one row per
-- identity and session. `group_newest`: when the last repetition of any of its group began.
-- A name of a factor stands for itself and for all below it. Everything is shared but what the question compares, save
-- the parts that it compares `within`, and what `follows` from those. Everything below a factor that answers are listed `by`
-- describes the workload.
with
role as (
    select
        source,
        identity,
        name,
        value,
        len(list_filter($compare, lambda c: name = c or starts_with(name, c || '.'))) > 0
            and len(list_filter($within, lambda c: name = c or starts_with(name, c || '.'))) = 0
            or len(list_filter($follows, lambda c: name = c or starts_with(name, c || '.'))) > 0 as differs,
        len(list_filter($by, lambda c: starts_with(name, c || '.'))) > 0 as is_workload
    from factor
    where source = $source and identity in (select identity from record where family = $family)
),
described as (
    select
        source,
        identity,
        to_json(map_from_entries(list((name, value) order by name) filter (not differs and not is_workload)))
            as conditions,
        to_json(map_from_entries(list((name, value) order by name) filter (not differs and is_workload))) as workload
    from role
    group by source, identity
),
measured as (
    select
        source, testbed, family, experiment, identity, session,
        max(started_at) as newest,
        count(*) as repetitions,
        count(*) filter (status = 'ok' and valid) as ok_repetitions,
        median(epoch(finished_at - started_at)) filter (status = 'ok') as seconds
    from record
    where source = $source and family = $family
    group by all
),
comparable as (
    select
        * exclude (source),
        if(list_contains($follows, 'testbed'), '', testbed) as place
    from measured
    join described using (source, identity)
)
select
    *,
    max(newest) over (partition by place, session, conditions, workload) as group_newest
from comparable
order by group_newest desc, place, session, conditions, workload, newest desc, identity;
