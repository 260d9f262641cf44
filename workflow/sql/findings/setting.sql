-- Every factor of each identity: what a recipe is made of, and by which a question tells its subjects.
select identity, name, value
from factor
where source = $source
order by identity, name;
