-- Most concurrent streams that a study sustained on each set-up, and the first number that it did not sustain.
with
test as (
    select
        source,
        split_part(experiment, '--', 1) as configuration,
        regexp_replace(split_part(experiment, '--', 2), '-\d+-streams$', '') as storage,
        regexp_extract(experiment, '-(\d+)-streams$', 1)::int as streams,
        value
    from measurement
    where family = 'http_streaming' and metric = 'sustained_ratio'
),
speed as (
    select source, avg(value / regexp_extract(experiment, '-(\d+)-streams$', 1)::int) as per_stream
    from measurement
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
