-- What most experiments on a testbed have of each factor; of two that are as frequent, what the shorter name has: a
-- name leaves out what is the testbed's own.
with
experiments as (
    select distinct
        source, testbed, experiment, identity,
        len(concat_ws('--', configuration, nullif(workload, ''))) as letters
    from record
    where source = $source
)
select testbed, name, value
from experiments
join factor using (source, experiment, identity)
group by testbed, name, value
qualify row_number() over (
    partition by testbed, name
    order by count(*) desc, min(letters), value
) = 1
order by testbed, name;
