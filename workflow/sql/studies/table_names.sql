-- The tables of a study, $source.
select table_name from reference_table where source = $source;
