-- What the families declare about their metrics now, from the registered table `described`.
create table metric as select * from described order by all;
