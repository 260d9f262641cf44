-- How long does a copy take on each filesystem, and how far do repetitions differ?
SELECT
    m.testbed,
    f.value AS filesystem,
    count(*) AS copies,
    min(m.value) AS fastest_seconds,
    median(m.value) AS median_seconds,
    max(m.value) AS slowest_seconds
FROM measurements AS m
JOIN factors AS f ON f.identity = m.identity AND f.name = 'filesystem.name'
WHERE m.metric = 'copy_seconds' AND m.status = 'ok'
GROUP BY m.testbed, f.value
ORDER BY m.testbed, median_seconds
