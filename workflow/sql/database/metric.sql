-- What each number means: one row per metric of a family, from the registered table `declared` (see core/metric.py); the
-- families declare theirs, studies those that no family has. `place` is the metric's in the order of its family.
create table metric as select * from declared order by family, place, metric;
