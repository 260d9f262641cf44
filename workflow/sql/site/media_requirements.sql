-- What one stream or one picture of each kind of media needs, by $metric, least first, as the studies print it.
select
    source,
    table_name,
    row_label,
    experiment,
    value,
    printed || if(number is null or try_cast(printed as double) is null, '', ' ' || printed_unit) as printed
from reference_cell
where family = 'media_requirements' and metric = $metric and kind = 'sample' and value is not null
order by value, source, table_name;
