-- Delete the rows of one study, $source.
delete from {table} where source = $source;
