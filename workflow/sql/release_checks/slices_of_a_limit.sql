-- each of five or more short times ends within 10 ms after a multiple of 0.1 s, the slice in which the kernel limits their device
with
limited as (
    select distinct source, identity
    from factor
    where name similar to '(fingerprint\.device\.throttle|device\.limits)\.(read|write)(_requests)?'
),
timed as (
    select source, family, experiment, identity, metric, method, list(value order by repetition) as seconds, min(path) as path
    from measurement
    semi join limited using (source, identity)
    semi join (from metric where kind = 'time' and exact is null) as noisy using (family, metric)
    join record using (source, testbed, family, experiment, identity, repetition)
    where record.status = 'ok' and valid
    group by source, family, experiment, identity, metric, method
    having count(*) >= 5 and min(value) between 0.1 and 1
)
select source, experiment, identity, metric, seconds, path
from timed
anti join erratum
    on check_name = 'slices_of_a_limit'
        and erratum.family = timed.family
        and erratum.metric = timed.metric
        and timed.method <= through_method
where list_max(list_transform(seconds, lambda s: s - 0.1 * floor(s / 0.1 + 1e-9))) < 0.01
order by all;
