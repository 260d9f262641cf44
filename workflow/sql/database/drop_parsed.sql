-- Drop the temporary table when all others are made.
drop table parsed;
