-- Every validity gate with what was observed against its bound.
create table validity as
with
each_gate as (
    select source, identity, repetition, unnest(validity) as g, generate_subscripts(validity, 1) as position
    from parsed
)
select
    source,
    identity,
    repetition,
    position,
    g.gate as gate,
    g.step as step,
    g.ok as ok,
    g.observed as observed,
    g.bound as bound,
    g.unit as unit,
    g.detail as detail
from each_gate
order by source, identity, repetition, position;
