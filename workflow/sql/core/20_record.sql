-- One row per repetition. `subject` is the configuration that is compared, `library` the workload that it is compared
-- under: the media library, or the slug's other factor values. Times are UTC; `path` is below the folder of records.
-- `valid`: every gate held, apart from those of quiet, which only mark samples as noisy.
create table record as
select
    source,
    testbed,
    family,
    experiment,
    identity,
    split_part(experiment, '--', 1) as subject,
    coalesce(factors ->> '$.library.name', array_to_string(split(experiment, '--')[2:], '--')) as library,
    repetition,
    status,
    reason,
    started_at,
    finished_at,
    len(list_filter(validity, lambda v: not v.ok and v.gate not in ('quiet_machine', 'quiet_disk'))) = 0 as valid,
    method,
    path
from parsed
order by all;
