-- The cases that the query of a rule of claims gives.
select key, place, claimed, recomputed from ({query}) order by key;
