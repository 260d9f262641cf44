-- one identity is used by two experiments
select source, identity, string_agg(distinct experiment, ' ' order by experiment) as experiments, min(path) as path
from record
group by source, identity
having count(distinct experiment) > 1
order by all;
