-- Insert the rows of the registered table `incoming` by the names of their columns.
insert into {table} by name select * from incoming;
