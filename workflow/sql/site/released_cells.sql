-- The same of one release, from its file of measurements, {file}.
select distinct family, experiment, metric
from read_parquet('{file}')
where status = 'ok';
