-- What do commands spend their time on, by the kernel that they ran on?
SELECT
    e.value AS kernel,
    c.step,
    count(*) AS commands,
    sum(c.seconds) AS seconds,
    sum(CASE WHEN c.exit_code = 0 THEN 0 ELSE 1 END) AS not_zero
FROM commands AS c
JOIN environment AS e ON e.identity = c.identity AND e.repetition = c.repetition AND e.name = 'kernel.release'
GROUP BY e.value, c.step
ORDER BY seconds DESC, kernel, c.step
LIMIT 40
