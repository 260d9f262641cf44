-- one repetition was recorded more than once
select source, identity, repetition, count(*) as times, string_agg(path, ' ' order by path) as path
from record
group by source, identity, repetition
having count(*) > 1
order by all;
