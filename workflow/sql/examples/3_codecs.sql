-- What does each codec give for its bits: quality, and frames encoded in a second?
SELECT
    testbed,
    experiment,
    median(CASE WHEN metric = 'stream_bits_per_second' THEN value END) / 1e6 AS megabits_per_second,
    median(CASE WHEN metric = 'vmaf_score' THEN value END) AS median_vmaf,
    median(CASE WHEN metric = 'psnr_db' THEN value END) AS psnr_db,
    median(CASE WHEN metric = 'encode_frames_per_second' THEN value END) AS encoded_frames_per_second
FROM measurements
WHERE family = 'codec_quality' AND status = 'ok'
GROUP BY testbed, identity, experiment
ORDER BY testbed, median_vmaf DESC, experiment, identity
