-- The columns of the tables of a study, $source.
select distinct column_name, table_name from reference_cell where source = $source;
