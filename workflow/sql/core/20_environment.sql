-- The machine as it was when the repetition ran, one fact per row. A fraction is written as DuckDB does, 1e-09.
create table environment as
with
ordered as (
    select source, identity, repetition, environment
    from parsed
    order by source, identity, repetition
),
each_fact as (
    select
        source,
        identity,
        repetition,
        unnest(list_sort(list_zip(
            json_keys(environment), environment ->> '$.*', json_type(environment, '$.*')
        ))) as fact
    from ordered
)
select
    source,
    identity,
    repetition,
    fact[1] as name,
    if(fact[3] = 'DOUBLE', fact[2]::double::varchar, fact[2]) as value
from each_fact;
