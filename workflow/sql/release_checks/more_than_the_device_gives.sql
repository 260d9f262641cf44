-- a rate, or a number of streams times their rate, exceeds what its device was declared to give by more than 2 %
with
-- A reference device has a limit per direction, a modelled disk that of its interface.
given as (
    select
        source,
        identity,
        unnest(case
            when ends_with(name, 'read') then ['read']
            when ends_with(name, 'write') then ['written']
            else ['read', 'written']
        end) as moves,
        try_cast(value as double) as given_bytes_per_second,
        -- The kernel lets up to two slices of 0.1 s pass ahead of its limit, which shows in a transfer of a few seconds.
        if(name like '%.interface', 0, 0.2) as seconds_ahead
    from factor
    where name similar to '(fingerprint\.device\.throttle|device\.limits)\.(read|write)'
        or name in ('fingerprint.device.figures.interface', 'device.model.interface')
),
moved as (
    select
        measurement.*, moves, path, method,
        measurement.value * if(each is null, 1, try_cast(factor.value as double)) as bytes_per_second,
        coalesce(transferred.value / measurement.value, 'infinity'::double) as seconds
    from measurement
    join metric using (family, metric)
    join record using (source, testbed, family, experiment, identity, repetition)
    left join factor
        on factor.source = measurement.source and factor.identity = measurement.identity and factor.name = each
    left join measurement as transferred
        on transferred.source = measurement.source
            and transferred.identity = measurement.identity
            and transferred.repetition = measurement.repetition
            and transferred.metric = step || '_device_' || moves || '_bytes'
            and measurement.value > 0
    where moves is not null and record.status = 'ok' and valid
)
select source, experiment, identity, repetition, metric, value, bytes_per_second, given_bytes_per_second, path
from moved
join given using (source, identity, moves)
anti join erratum
    on check_name = 'more_than_the_device_gives'
        and erratum.family = moved.family
        and erratum.metric = moved.metric
        and moved.method <= through_method
where bytes_per_second > (1.02 + seconds_ahead / seconds) * given_bytes_per_second
order by all;
