-- Which filesystem needs the least space for each library, per byte of its files?
WITH taken AS (
    SELECT m.testbed, kernel.value AS kernel, library.value AS library, m.experiment, median(m.value) AS median_ratio
    FROM measurements AS m
    JOIN factors AS library ON library.identity = m.identity AND library.name = 'library.name'
    JOIN factors AS kernel ON kernel.identity = m.identity AND kernel.name = 'fingerprint.kernel'
    WHERE m.metric = 'space_overhead_ratio' AND m.status = 'ok'
    GROUP BY m.testbed, kernel.value, library.value, m.identity, m.experiment
),
placed AS (
    SELECT *, rank() OVER (PARTITION BY testbed, kernel, library ORDER BY median_ratio) AS place
    FROM taken
)
SELECT testbed, kernel, library, experiment, median_ratio
FROM placed
WHERE place = 1
ORDER BY testbed, kernel, library, experiment
