-- Every command as run; its words are JSON text, which every reader of CSV understands.
select * replace (to_json(argv)::varchar as argv)
from command
where source = 'measured'
order by all;
