-- Each claim of a published study with its verdict, from reference/stored.py; empty where no studies are loaded. `study`
-- and not `source`: a claim is neither measured nor a figure of the long table.
create table claim (
    study varchar, id varchar, rule varchar, place varchar, quote varchar, claimed varchar, claimed_unit varchar,
    relation varchar, vague varchar, reading varchar, derived varchar, right_value varchar, verdict varchar,
    slip varchar, explanation varchar, query varchar
);
