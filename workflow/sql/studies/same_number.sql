-- Where a study, $source, prints the number $number in its tables.
select distinct table_name, row_label, column_name, printed_number
from reference_cell
join reference_table using (source, table_name)
where source = $source and number = $number and table_name <> 'text-figures'
order by all;
