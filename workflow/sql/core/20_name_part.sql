-- The parts of each experiment's name in their order, the configuration first, at position 1: ext4+m0@bfq has the value ext4,
-- the setting m0, and was measured under bfq.
create table name_part as
with
each_identity as (
    select distinct on (source, identity) source, identity, parts
    from parsed
    order by source, identity, path
),
each_part as (
    select source, identity, generate_subscripts(parts, 1) as position, unnest(parts) as part
    from each_identity
)
select
    source,
    identity,
    position,
    part.name as name,
    part.value as value,
    part.setting as setting,
    part.under as under
from each_part
order by all;
