-- The first table that prints each result of the studies.
select source, identity, metric, min(table_name)
from reference_cell
where kind = 'sample' and identity is not null
group by all;
