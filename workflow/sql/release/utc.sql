-- Write times in UTC on every machine.
set TimeZone = 'UTC';
