-- Each gate once, however many repetitions it was checked in.
select
    identity,
    gate,
    step,
    unit,
    detail,
    count(*) as asked,
    count(*) filter (ok) as held,
    min(observed) as least,
    max(observed) as most,
    min(bound) as low,
    max(bound) as high
from validity
where identity in (select unnest($identities))
group by identity, gate, step, unit, detail
order by identity, min(position), gate, step, detail;
