-- What a repetition found by itself and a recipe needs, as codec.setting: one row per identity, session and environment field.
select identity, session, name, max(value) as value
from environment
join record using (source, identity, repetition)
where source = $source and status = 'ok' and valid and name like '%.setting'
group by identity, session, name
having count(distinct value) = 1
order by identity, session, name;
