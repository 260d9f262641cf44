-- Every command as run, in order.
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
    c.stdout as stdout,
    c.stderr as stderr
from each_command
order by source, identity, repetition, position;
