-- Repetitions of each measured experiment.
select *
from record
where source = 'measured'
order by testbed, workload, configuration, identity, repetition;
