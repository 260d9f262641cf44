-- Which three experiments copy fastest on each testbed?
WITH middle AS (
    SELECT testbed, experiment, count(*) AS repetitions, median(value) AS bytes_per_second
    FROM measurements
    WHERE metric = 'copy_bytes_per_second' AND status = 'ok'
    GROUP BY testbed, experiment
),
placed AS (
    SELECT *, rank() OVER (PARTITION BY testbed ORDER BY bytes_per_second DESC) AS place
    FROM middle
)
SELECT testbed, place, experiment, repetitions, bytes_per_second
FROM placed
WHERE place <= 3
ORDER BY testbed, place, experiment
