-- a time or rate is exactly the same in each of three or more repetitions, and its metric does not say why it may be
with
repeated as (
    select source, family, experiment, identity, metric, method, count(*) as repetitions, any_value(value) as value, min(path) as path
    from measurement
    join record using (source, testbed, family, experiment, identity, repetition)
    where record.status = 'ok' and valid
    group by source, family, experiment, identity, metric, method
    having count(*) >= 3 and min(value) = max(value)
)
select source, experiment, identity, metric, value, repetitions, path
from repeated
semi join (from metric where kind in ('time', 'rate') and exact is null) as noisy using (family, metric)
anti join erratum
    on check_name = 'no_variance'
        and erratum.family = repeated.family
        and erratum.metric = repeated.metric
        and repeated.method <= through_method
order by all;
