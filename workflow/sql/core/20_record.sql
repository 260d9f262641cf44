-- One row per repetition. Times are UTC; `path` is below the folder of records.
-- `valid`: every gate held, apart from those of quiet, which only mark samples as noisy.
-- `configuration` and `workload`: what is compared, and what is done with it; see name_part for what they are made of.
-- `session`, `round` and `looks`: its session, its block, and how many interim analyses came before it.
-- Records from before they were noted are of one session, and a round is what has the same repetition.
create table record as
select
    source,
    testbed,
    family,
    experiment,
    parts[1].name as configuration,
    array_to_string(list_transform(parts[2:], lambda p: p.name), '--') as workload,
    identity,
    repetition,
    status,
    reason,
    started_at,
    finished_at,
    len(list_filter(validity, lambda v: not v.ok and v.gate not in ('quiet_machine', 'quiet_disk'))) = 0 as valid,
    method,
    coalesce(environment ->> '/session.id', '') as session,
    coalesce(environment ->> '/run.round', repetition::varchar) as round,
    coalesce((environment ->> '/run.looks')::integer, 0) as looks,
    path
from parsed
order by all;
