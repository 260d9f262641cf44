-- a size, number, rate or length in an experiment's name is not that of any of its factors, within 5 %
with
stated as (
    select
        source, identity, part.value as part,
        unnest(regexp_extract_all(part.value, '[0-9.]+-?(?:mib|gib|kb|mb|gb|mbit|files|sources|seconds)\b')) as quantity
    from name_part as part
    where source = 'measured'
),
split as (
    select
        source, identity, part, quantity,
        regexp_extract(quantity, '^[0-9.]+')::double as number,
        regexp_extract(quantity, '[a-z]+$') as unit
    from stated
),
-- What a unit may mean: a factor of 1,000 or of 1,024, as the document that the name comes from counts. The names with KiB are those
-- of caches, which their family composes from its own constants.
meant as (
    select split.* exclude (number), unnest(list_transform(case unit
        when 'mib' then [1024.0 ^ 2] when 'gib' then [1024.0 ^ 3]
        when 'kb' then [1e3, 1024.0] when 'mb' then [1e6, 1024.0 ^ 2] when 'gb' then [1e9, 1024.0 ^ 3]
        when 'mbit' then [1e6, 1e6 / 8] else [1.0] end, lambda one: one * number)) as value
    from split
),
numbers as (
    select source, identity, try_cast(value as double) as value
    from factor
    where name not like 'fingerprint.%' and try_cast(value as double) is not null
),
held as (
    select source, identity, part, quantity, bool_or(abs(numbers.value - meant.value) <= 0.05 * meant.value) as is_held
    from meant
    join numbers using (source, identity)
    group by all
)
select source, family, experiment, identity, part, quantity, min(path) as path
from held
join record using (source, identity)
anti join erratum
    on check_name = 'name_of_another_size' and erratum.family = record.family and record.method <= through_method
where not is_held
group by all
order by all;
