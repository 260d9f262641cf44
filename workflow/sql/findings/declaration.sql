-- What each family declares besides its metrics.
select family, settings, caveats from declaration order by family;
