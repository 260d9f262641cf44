-- Largest file and filesystem of each published configuration, in printed order.
select
    source,
    table_name,
    row_number,
    row_label as title,
    any_value(value) filter (metric = 'largest_file_bytes') as file,
    any_value(value) filter (metric = 'largest_filesystem_bytes') as whole
from reference_cell
where family = 'filesystem_limits' and kind = 'sample'
group by all
order by source, table_name, row_number;
