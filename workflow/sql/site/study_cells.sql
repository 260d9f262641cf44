-- What each table of a study, $source, prints samples of: one row per configuration, workload and metric.
select distinct table_name, family, configuration, coalesce(workload, '') as workload, metric
from reference_cell
where source = $source and kind = 'sample' and metric is not null
order by all;
