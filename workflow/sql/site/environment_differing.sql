-- Facts about the machine that differ between the repetitions of an experiment, with every value.
with
own as (
    select * from environment where source = 'measured' and identity in (select unnest($identities))
),
differing as (
    select identity, name
    from own
    group by identity, name
    having min(value) <> max(value)
)
select identity, name, list_sort(list_distinct(list(value))) as found
from own
semi join differing using (identity, name)
group by identity, name;
