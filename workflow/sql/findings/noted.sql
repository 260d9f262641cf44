-- What repetitions found by themselves and the recipes of their family need: one row per identity, session and environment field.
select identity, session, name, max(value) as value
from environment
join record using (source, identity, repetition)
join declaration on declaration.family = record.family and list_contains(declaration.noted, environment.name)
where source = $source and status = 'ok' and valid
group by identity, session, name
having count(distinct value) = 1
order by identity, session, name;
