-- The affiliations of creators as reported. Grain out: reported_affiliation a reported affiliation of a creator.
-- Inputs: affiliation, identified, withheld. A researcher who opted out has no row, as in attribution.

-- It has few rows, so that the anti-join needs no table of all creators.
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
