-- What the published studies add to the long table: every printed cell with its position, and short names for
-- looking values up. `number` is in the printed unit, `value` in the unit of the long table.
create table if not exists reference_source (
    source varchar, title varchar, authors varchar, date varchar, document varchar, language varchar
);
create table if not exists reference_table (
    source varchar, table_name varchar, printed_number varchar, title varchar, section varchar, line integer,
    row_count integer, column_count integer
);
create table if not exists reference_cell (
    source varchar, table_name varchar, row_number integer, row_label varchar, column_name varchar, position integer,
    printed varchar, decimals integer, number double, printed_unit varchar, meant_unit varchar, kind varchar,
    testbed varchar, family varchar, experiment varchar, configuration varchar, workload varchar, identity varchar,
    repetition integer, metric varchar, unit varchar, value double, better varchar, status varchar
);
-- A printed cell as a number, in the printed unit; null when it is not a number.
create or replace macro cell(s, t, r, c) as (
    select arg_min(number, position) from reference_cell
    where source = s and table_name = t and row_label = r and column_name = c and number is not null
);
-- A printed cell as text.
create or replace macro printed(s, t, r, c) as (
    select any_value(printed) from reference_cell
    where source = s and table_name = t and row_label = r and column_name = c
);
-- Each published experiment's mean, by the series of tests that it was run in ('main' where a study has only one); a
-- table, filled by means.sql, so that no query goes through all measurements for it.
create table if not exists reference_mean (
    source varchar, testbed varchar, family varchar, metric varchar, experiment varchar, subject varchar,
    library varchar, series varchar, n bigint, mean double, smallest double, largest double, better varchar
);
-- Mean of the published samples of one metric of one experiment, in the unit of the long table; of the main series
-- where several have it.
create or replace macro mean_of(s, e, m) as (
    select arg_min(mean, if(series = 'main', 0, 1)) from reference_mean where source = s and experiment = e and metric = m
);
-- Thresholds of vague words, from data/reference/vague.yaml.
create table if not exists vague_word (word varchar, relation varchar, bound double, unit varchar, reason varchar);
create or replace macro vague(w) as (select bound from vague_word where word = w);
-- The difference of two values in %, the same in both directions.
create or replace macro difference(a, b) as 100 * (greatest(a, b) / least(a, b) - 1);
-- Share of the cases in %; all but one count as all.
create or replace macro nearly_all(hits, n) as if(n - hits <= 1, 100.0, 100.0 * hits / n);
-- Largest over smallest; 1 where both are within two units `digit` of the last printed digit.
create or replace macro change(smallest, largest, digit) as
    if(largest - smallest <= 2.000001 * digit, 1.0, largest / smallest);
-- The place that counts for words like good: 1 within a small difference of the best.
create or replace macro standing(place, value, best) as if(difference(value, best) <= vague('small'), 1, place);
-- What the five filesystems of a study's main series came to in each task: place 1 is the best.
create or replace view reference_place as
select
    source,
    metric,
    library,
    subject,
    mean,
    rank() over task as place,
    standing(rank() over task, mean, first_value(mean) over task) as standing
from reference_mean
where family = 'filesystem_lifecycle' and better <> 'none' and series = 'main'
window task as (partition by source, metric, library order by if(better = 'lower', mean, -mean));
