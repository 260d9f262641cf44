-- The temporary table that every other table of the database is made from, with its first rows.
create temp table parsed as {rows};
