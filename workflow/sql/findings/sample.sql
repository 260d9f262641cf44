-- Every sample that counts: one row per identity, session and metric, its values in the order of the repetitions.
-- A timed sample, or a number that was found by timing, is noisy when a gate of quiet (of the machine or of the disk) of
-- its step, or of a part of its step, did not hold; where no step has its name, when any did not. A step also counts as
-- disturbed when its commands used a quarter more processor time than the median of the same work: a busy host slows a
-- guest's processor without any load that the guest could see.
-- What a metric is, of which step, and what its family says of its own clock are from the table `metric`; no study has a clock.
with
counted as (
    select identity, repetition, session, round
    from record
    where source = $source and status = 'ok' and valid
),
timed as (
    select
        identity, repetition, session, round, family, metric, unit, better, value,
        declared.kind, declared.step, declared.resolution,
        coalesce(declared.kind in ('time', 'rate', 'searched', 'estimated'), unit in ('s', 'B/s', '1/s')) as is_timed,
        if($source = 'measured', declared.shortest_seconds, null) as shortest_seconds
    from measurement
    join counted using (identity, repetition)
    left join (select family, metric, kind, step, shortest_seconds, resolution from metric) as declared using (family, metric)
    where source = $source
),
effort as (
    select identity, repetition, replace(step, '-', '_') as step, sum(user_seconds + system_seconds) as cpu_seconds
    from command
    join counted using (identity, repetition)
    where source = $source
    group by all
),
usual as (
    select *, median(cpu_seconds) over same as usual_seconds, count(*) over same as repetitions
    from effort
    window same as (partition by identity, step)
),
gate as (
    select identity, repetition, replace(step, '-', '_') as step, ok
    from validity
    where source = $source and gate in ('quiet_machine', 'quiet_disk')
    union all
    select identity, repetition, step, false
    from usual
    where repetitions >= 3 and cpu_seconds > 1.25 * usual_seconds and cpu_seconds > usual_seconds + 0.1
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
    select timed.*, noisy.metric is not null as is_noisy
    from timed
    left join noisy using (identity, repetition, metric)
)
select
    identity,
    session,
    metric,
    any_value(unit) as unit,
    any_value(better) as better,
    any_value(kind) as kind,
    any_value(shortest_seconds) as shortest_seconds,
    any_value(resolution) as resolution,
    list(value order by repetition) as samples,
    list(is_noisy order by repetition) as noisy,
    list(repetition order by repetition) as repetitions,
    list(round order by repetition) as rounds
from marked
group by identity, session, metric
order by identity, session, metric;
