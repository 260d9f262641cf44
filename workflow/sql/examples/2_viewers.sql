-- How many viewers does each web server serve without a stall, and how soon does a film start?
SELECT
    testbed,
    experiment,
    min(CASE WHEN metric = 'viewers_sustained_count' THEN value END) AS fewest_viewers,
    median(CASE WHEN metric = 'viewers_sustained_count' THEN value END) AS median_viewers,
    median(CASE WHEN metric = 'startup_median_seconds' THEN value END) AS start_seconds
FROM measurements
WHERE family = 'http_streams' AND status = 'ok'
GROUP BY testbed, identity, experiment
ORDER BY testbed, median_viewers DESC, experiment, identity
