-- How many rows a Parquet file has.
select num_rows from parquet_file_metadata($path);
