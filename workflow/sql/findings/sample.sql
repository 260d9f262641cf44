-- Every sample that counts: one row per identity, session and metric, its values in the order of the repetitions.
-- A timed sample, or a number that was found by timing, is noisy when a gate of quiet (of the machine or of the disk) of
-- its step, or of a part of its step, did not hold; where no step has its name, when any did not.
-- `shortest_seconds`: what the family says of its own clock; it is unknown for a study.
with
counted as (
    select identity, repetition, session, round, looks
    from record
    where source = $source and status = 'ok' and valid
),
timed as (
    select
        identity, repetition, session, round, looks, family, metric, unit, better, value,
        unit in ('s', 'B/s', '1/s') or (better = 'higher' and metric like '%\_count' escape '\') as is_timed,
        regexp_replace(metric, '_([a-z]+_per_second|seconds|sustained_count|count)$', '') as step
    from measurement
    join counted using (identity, repetition)
    where source = $source
),
gate as (
    select identity, repetition, replace(step, '-', '_') as step, ok
    from validity
    where source = $source and gate in ('quiet_machine', 'quiet_disk')
),
judged as (
    select
        identity, repetition, metric,
        bool_or(not ok) as is_disturbed,
        bool_or(not ok) filter (
            gate.step is null
            or timed.step = gate.step
            or starts_with(timed.step, gate.step || '_')
            or starts_with(gate.step, timed.step || '_')
        ) as is_own_disturbed
    from timed
    join gate using (identity, repetition)
    where is_timed
    group by identity, repetition, metric
),
noisy as (
    select identity, repetition, metric
    from judged
    where coalesce(is_own_disturbed, is_disturbed)
),
marked as (
    select timed.*, noisy.metric is not null as is_noisy, described.shortest_seconds
    from timed
    left join noisy using (identity, repetition, metric)
    left join metric as described
        on $source = 'measured' and described.family = timed.family and described.metric = timed.metric
)
select
    identity,
    session,
    metric,
    any_value(unit) as unit,
    any_value(better) as better,
    any_value(shortest_seconds) as shortest_seconds,
    list(value order by repetition) as samples,
    list(is_noisy order by repetition) as noisy,
    list(repetition order by repetition) as repetitions,
    list(round order by repetition) as rounds,
    list(looks order by repetition) as looks
from marked
group by identity, session, metric
order by identity, session, metric;
