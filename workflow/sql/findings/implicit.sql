-- The families that were measured, and the factors that their names begin with: of ext4+m0@bfq--picture those whose
-- value, name or variant is ext4, m0 or bfq. They are what is compared in a family that declares no question.
with
configurations as (
    select distinct source, family, identity, unnest([name_part.value, setting, under]) as value
    from record
    join name_part using (source, identity)
    where source = $source and position = 1
),
named as (
    select source, identity, value, regexp_replace(name, '\.(name|variant)$', '') as name
    from factor
    where name not like '%.%' or regexp_matches(name, '^[^.]+\.(name|variant)$')
)
select family, list(distinct name order by name) filter (name is not null) as factors
from configurations
left join named using (source, identity, value)
group by family
order by family;
