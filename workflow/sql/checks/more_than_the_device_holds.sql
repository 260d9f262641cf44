-- bytes that are a part of the device exceed it
with
device as (
    select source, identity, value::double as device_bytes
    from factor
    where name = 'fingerprint.device.bytes'
)
select source, experiment, identity, repetition, metric, value as value_bytes, device_bytes, path
from measurement
join device using (source, identity)
semi join (from metric where of_device) as part using (family, metric)
left join record using (source, testbed, family, experiment, identity, repetition)
where value > device_bytes
order by all;
