-- The parts of each configuration's name: of ext4+m0@bfq the value ext4, the setting m0, and the scheduler bfq.
select distinct name, value, setting, under
from name_part
where position = 1
order by all;
