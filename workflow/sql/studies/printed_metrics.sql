-- What each table of a study, $source, prints values of.
select distinct table_name, experiment, metric, family
from reference_cell
where source = $source and metric is not null;
