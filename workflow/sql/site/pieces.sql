-- Commands that moved one piece of a file each.
select *
from command
where step like '%-pieces' and identity in (select unnest($identities))
order by identity, repetition, position;
