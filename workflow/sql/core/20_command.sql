-- Every command as run, in order. What it cost is null in records from before that was counted.
create table command as
with
each_command as (
    select source, identity, repetition, unnest(commands) as c, generate_subscripts(commands, 1) as position
    from parsed
)
select
    source,
    identity,
    repetition,
    position,
    c.step as step,
    c.argv as argv,
    c.exit_code as exit_code,
    c.seconds as seconds,
    c.user_seconds as user_seconds,
    c.system_seconds as system_seconds,
    c.minor_faults as minor_faults,
    c.major_faults as major_faults,
    c.stdout as stdout,
    c.stderr as stderr
from each_command
order by source, identity, repetition, position;
