-- Which steps do commands spend their time in, on each kernel?
SELECT
    e.value AS kernel,
    c.step,
    count(*) AS commands,
    sum(c.seconds) AS seconds
FROM commands AS c
JOIN environment AS e ON e.identity = c.identity AND e.repetition = c.repetition AND e.name = 'kernel.release'
GROUP BY e.value, c.step
ORDER BY seconds DESC, kernel, c.step
LIMIT 40
