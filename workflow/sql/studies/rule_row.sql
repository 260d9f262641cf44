-- The value of one case of a rule of claims: it is published with the claim, so that a reader can run it.
select recomputed from ({query}) where key = '{key}';
