-- Every claim of the published studies with its verdict.
select *
from claim
order by all;
