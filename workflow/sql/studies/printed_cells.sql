-- Row label, column and printed text of one table, in printed order.
select row_label, column_name, any_value(printed)
from reference_cell
where source = $source and table_name = $table
group by row_number, row_label, column_name
order by row_number, column_name;
