-- Names and types of the columns of a Parquet file.
describe select * from read_parquet($path);
