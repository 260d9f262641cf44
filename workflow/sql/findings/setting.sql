-- Every factor of each identity, for recipes and for the configurations of a question.
select identity, name, value
from factor
where source = $source
order by identity, name;
