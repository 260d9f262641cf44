-- Experiments, metrics and families of a study, $source.
select distinct experiment, metric, family from measurement where source = $source;
