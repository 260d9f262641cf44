-- How many cells a study, $source, prints, and how many of its samples there are.
select
    (select count(distinct (table_name, row_number, column_name)) from reference_cell where source = $source),
    (select count(*) from measurement where source = $source);
