-- Which gates did not hold, and in how many of their tries?
SELECT
    gate,
    step,
    count(*) AS tries,
    sum(CASE WHEN ok THEN 0 ELSE 1 END) AS not_held,
    100.0 * sum(CASE WHEN ok THEN 0 ELSE 1 END) / count(*) AS percent
FROM validity
GROUP BY gate, step
HAVING sum(CASE WHEN ok THEN 0 ELSE 1 END) > 0
ORDER BY percent DESC, gate, step
