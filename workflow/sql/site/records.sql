-- Repetitions of each measured experiment, with the parts of its name for readers.
select
    *,
    split_part(experiment, '--', 1) as subject,
    array_to_string(split(experiment, '--')[2:], '--') as library
from record
where source = 'measured'
order by testbed, library, subject, identity, repetition;
