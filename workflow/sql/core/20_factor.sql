-- Everything that entered an identity, one leaf per row with a dotted name: factors as they are
-- (filesystem.name), the testbed under fingerprint., and the method. Lists are kept whole, as JSON text.
create table factor as
with
each_identity as (
    select distinct on (source, identity) source, experiment, identity, factors, fingerprint, method
    from parsed
    order by source, identity, path
),
leaf as (
    select source, experiment, identity, '' as prefix, tree.*
    from each_identity, json_tree(factors) as tree
    union all
    select source, experiment, identity, 'fingerprint.' as prefix, tree.*
    from each_identity, json_tree(fingerprint) as tree
),
named as (
    select
        source,
        experiment,
        identity,
        prefix || replace(substr(fullkey, 3), '"', '') as name,
        if(type = 'ARRAY', value::varchar, atom ->> '$') as value
    from leaf
    where type <> 'OBJECT' and fullkey not similar to '.*\[[0-9]+\].*'
    union all
    select source, experiment, identity, 'method' as name, method::varchar as value from each_identity
)
select source, experiment, identity, name, value
from named
order by all;
