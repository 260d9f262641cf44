-- Which figures differ most from one repetition to the next?
SELECT
    testbed,
    experiment,
    metric,
    count(*) AS repetitions,
    max(value) / min(value) AS spread
FROM measurements
WHERE status = 'ok' AND unit = 's' AND value > 0
GROUP BY testbed, experiment, identity, metric
HAVING count(*) >= 3
ORDER BY spread DESC, testbed, experiment, metric
LIMIT 25
