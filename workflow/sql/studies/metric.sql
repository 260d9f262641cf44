-- Add to the table `metric`, from the registered table `published`, what studies publish and no family declares. Where a
-- family is also measured, the order of its metrics is its own: all that studies add comes after them.
insert into metric by name
select
    published.* exclude (place),
    coalesce((select max(m.place) + 1 from metric as m where m.family = published.family), published.place) as place
from published
anti join metric using (family, metric);
