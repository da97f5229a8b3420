-- Lists the affiliations of creators as they were reported.
-- Result: reported_affiliation, one row for each reported affiliation of a creator. Researchers who opted out have no
-- row, as in attribution.
-- Inputs: affiliation, identified, withheld.

-- The creators who opted out. This table has few rows, so the join below does not need memory for all creators.
create table withheld_creator as
select identified.id, identified.position
from identified
join withheld on withheld.id = identified.researcher_id;

create view reported_affiliation as
select affiliation.id, affiliation.position, affiliation.place, affiliation.institution_id, affiliation.reported_json,
  affiliation.ror, affiliation.other_ids
from affiliation
left join withheld_creator
  on withheld_creator.id = affiliation.id and withheld_creator.position = affiliation.position
where withheld_creator.id is null;
