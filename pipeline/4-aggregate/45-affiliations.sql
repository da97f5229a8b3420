-- The affiliations of creators as reported. Grain out: reported_affiliation a reported affiliation of a creator.
-- Inputs: affiliation, identified, withheld. A researcher who opted out has no row, as in attribution.

create view reported_affiliation as
select affiliation.id, affiliation.position, affiliation.place, affiliation.institution_id, affiliation.reported_json,
  affiliation.ror, affiliation.other_ids
from affiliation
left join identified on identified.id = affiliation.id and identified.position = affiliation.position
left join withheld on withheld.id = identified.researcher_id
where withheld.id is null;
