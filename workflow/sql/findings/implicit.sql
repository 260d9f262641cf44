-- The families that were measured, and the factors that their slugs begin with: of ext4+m0@bfq--picture those whose
-- value, name or variant is ext4, m0 or bfq. They are what is compared in a family that declares no question.
with
subjects as (
    select distinct
        source, family, identity, unnest(regexp_split_to_array(split_part(experiment, '--', 1), '[+@]')) as value
    from record
    where source = $source
),
named as (
    select source, identity, value, regexp_replace(name, '\.(name|variant)$', '') as name
    from factor
    where name not like '%.%' or regexp_matches(name, '^[^.]+\.(name|variant)$')
)
select family, list(distinct name order by name) filter (name is not null) as factors
from subjects
left join named using (source, identity, value)
group by family
order by family;
