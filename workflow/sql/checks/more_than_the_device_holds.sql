-- used or free bytes exceed the device
with
device as (
    select source, identity, value::double as device_bytes
    from factor
    where name = 'fingerprint.device.bytes'
)
select source, experiment, identity, repetition, metric, value as value_bytes, device_bytes, path
from measurement
join device using (source, identity)
left join record using (source, testbed, family, experiment, identity, repetition)
where unit = 'B' and (metric like 'used\_%' escape '\' or metric like 'free\_%' escape '\') and value > device_bytes
order by all;
