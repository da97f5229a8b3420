-- One capture as the record it is. Grain: record and evidence the capture under way; creator and facet one of it each.
-- Inputs: as_of (the day, one row), capture, capture_creator, capture_facet, which hold one capture at a time, and only within a transaction.
-- Stage 2's rules of identity leave a capture that is alone as it is: nothing supersedes it, nothing merges with it.

-- Plans are made once, over empty tables, and kept. None may rest on what the tables held at that moment: with their
-- statistics, text that is sorted would be packed into the width of the text there was then.
set disabled_optimizers = 'statistics_propagation,compressed_materialization';

create table as_of (day varchar);

create view record as
select capture.* exclude (pub_date), publication_date(capture.pub_date, as_of.day) as pub_date,
  case when outcome = 'failed' then 'failed' else 'ok' end as status,
  view_count as views, download_count as downloads, citation_count as citations,
  derivative_count as derivatives, mention_count as mentions
from capture
cross join as_of;

create view evidence as
select capture.*
from capture
where outcome = 'record';

-- researcher_id: of the researcher that the creator would be in a release; but who has no ORCID iD may join one who has
-- there, which no capture tells by itself. Null for what is no person.
create view creator as
select capture_creator.position, capture_creator.name, capture_creator.affiliation, capture_creator.orcid,
  case when is_researcher(person, folded_name, orcid)
    then researcher_id(orcid, full_name, folded_name, coalesce(capture_affiliation.folded, ''), capture.version_family)
  end as researcher_id
from capture_creator
cross join capture
left join capture_affiliation
  on capture_affiliation.position = capture_creator.position and capture_affiliation.place = 0
order by capture_creator.position;

create view facet as
select kind, value
from capture_facet
order by kind, place;
