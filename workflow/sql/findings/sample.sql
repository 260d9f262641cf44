-- Every sample that counts: one row per identity and metric, its values in the order of the repetitions.
-- A timed sample is noisy when the quiet-machine gate of its step, or of a part of its step, did not hold.
with
counted as (
    select identity, repetition
    from record
    where source = $source and status = 'ok' and valid
),
timed as (
    select
        identity, repetition, metric, unit, better, value,
        unit in ('s', 'B/s', '1/s') as is_timed,
        regexp_replace(metric, '_([a-z]+_per_second|seconds)$', '') as step
    from measurement
    semi join counted using (identity, repetition)
    where source = $source
),
disturbed as (
    select distinct identity, repetition, step
    from validity
    where source = $source and gate = 'quiet_machine' and not ok
),
noisy as (
    select distinct identity, repetition, metric
    from timed
    join disturbed using (identity, repetition)
    where is_timed and (
        disturbed.step is null
        or timed.step = disturbed.step
        or starts_with(timed.step, disturbed.step || '_')
        or starts_with(disturbed.step, timed.step || '_')
    )
),
marked as (
    select timed.*, noisy.metric is not null as is_noisy
    from timed
    left join noisy using (identity, repetition, metric)
)
select
    identity,
    metric,
    any_value(unit) as unit,
    any_value(better) as better,
    list(value order by repetition) as samples,
    list(is_noisy order by repetition) as noisy,
    list(repetition order by repetition) as repetitions
from marked
group by identity, metric
order by identity, metric;
