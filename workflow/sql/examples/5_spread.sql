-- Which times above a tenth of a second vary most from one repetition to the next?
SELECT
    testbed,
    experiment,
    metric,
    count(*) AS samples,
    min(value) AS shortest_seconds,
    max(value) AS longest_seconds,
    max(value) / min(value) AS times_as_long
FROM measurements
WHERE status = 'ok' AND unit = 's' AND value > 0
GROUP BY testbed, experiment, identity, metric
HAVING count(*) >= 3 AND median(value) > 0.1
ORDER BY times_as_long DESC, testbed, experiment, metric
LIMIT 25
