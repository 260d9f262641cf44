-- What each family declares besides its metrics, from the registered table `declared`: the fields of core/declared.py.
create table declaration as select * from declared order by family;
