-- Most concurrent streams that a study sustained on each set-up, and the first number that it did not sustain.
with
asked as (
    select
        source,
        identity,
        any_value(value) filter (name = 'filesystem.name') as configuration,
        any_value(value) filter (name = 'storage.device') as storage,
        try_cast(any_value(value) filter (name in ('streams', 'streams_to_linux_pc')) as integer) as streams
    from factor
    group by source, identity
),
test as (
    select source, configuration, storage, streams, value
    from measurement
    join asked using (source, identity)
    where family = 'http_streaming' and metric = 'sustained_ratio'
),
speed as (
    select source, avg(value / streams) as per_stream
    from measurement
    join asked using (source, identity)
    where family = 'http_streaming' and metric = 'network_bytes_per_second'
    group by source
)
select
    source,
    configuration,
    storage,
    max(streams) filter (value = 1) as sustained,
    min(streams) filter (value < 1) as failed,
    any_value(per_stream) as per_stream
from test
join speed using (source)
group by source, configuration, storage
order by all;
