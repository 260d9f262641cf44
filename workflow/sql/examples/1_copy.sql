-- How long does it take to copy a library of pictures onto each filesystem?
SELECT
    m.testbed,
    kernel.value AS kernel,
    m.experiment,
    count(*) AS copies,
    min(m.value) AS fastest_seconds,
    median(m.value) AS median_seconds,
    max(m.value) AS slowest_seconds
FROM measurements AS m
JOIN factors AS library ON library.identity = m.identity AND library.name = 'library.name'
JOIN factors AS variant ON variant.identity = m.identity AND variant.name = 'filesystem.variant'
JOIN factors AS kernel ON kernel.identity = m.identity AND kernel.name = 'fingerprint.kernel'
WHERE m.metric = 'copy_seconds' AND m.status = 'ok' AND library.value = 'picture' AND variant.value = 'default'
GROUP BY m.testbed, kernel.value, m.identity, m.experiment
ORDER BY m.testbed, kernel.value, median_seconds, m.identity
