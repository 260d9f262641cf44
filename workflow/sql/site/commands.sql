-- Commands of the first repetition of each that ran the same ones, with all of those `repetitions` and, in their order, `took`.
-- Names that each repetition has for itself do not count as a difference: processes and their files, mount points, images, network cards.
with
own as (
    select * from command where identity in (select unnest($identities))
),
ran as (
    select
        identity,
        repetition,
        sum(hash(position, step, exit_code, regexp_replace(
            array_to_string(argv, ' '),
            '/proc/\d+/fd/\d+|spindlemark(/[a-z]+)?-\d+|/dev/loop\d+|\blink[0-9a-f]{8}\b',
            '',
            'g'
        ))) as way
    from own
    group by identity, repetition
),
alike as (
    select identity, way, list(repetition order by repetition) as repetitions
    from ran
    group by identity, way
),
timed as (
    select identity, repetitions, position, list(seconds order by repetition) as took
    from own
    join ran using (identity, repetition)
    join alike using (identity, way)
    group by identity, repetitions, position
)
select own.*, repetitions, took
from own
join timed using (identity, position)
where repetition = repetitions[1]
order by identity, repetition, position;
