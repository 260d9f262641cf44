-- What each number means, in the order of its family.
select * exclude (place) from metric order by family, place, metric;
