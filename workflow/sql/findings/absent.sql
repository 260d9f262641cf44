-- Why repetitions left no sample: one row per identity, session, status and reason.
with
judged as (
    select
        record.identity,
        record.session,
        record.repetition,
        if(status = 'ok', 'invalid', status) as status,
        coalesce(reason, string_agg(validity.gate || ': ' || validity.detail, '; ' order by position)) as reason
    from record
    left join validity
        on record.source = validity.source and record.identity = validity.identity
        and record.repetition = validity.repetition and not validity.ok
        and validity.gate not in ('quiet_machine', 'quiet_disk')
    where record.source = $source and not (record.status = 'ok' and record.valid)
    group by record.identity, record.session, record.repetition, record.status, record.reason
)
select identity, session, status, reason, count(*) as repetitions
from judged
group by identity, session, status, reason
order by identity, session, status, reason;
