-- The repetitions that a database holds of this machine.
select identity, repetition
from record
where source = 'measured';
