-- Further rows of the temporary table.
insert into parsed {rows};
