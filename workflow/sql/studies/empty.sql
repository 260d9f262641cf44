-- Delete all rows.
delete from {table};
