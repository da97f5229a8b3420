-- The record, evidence, creators and facets of the only capture in the tables. Grain: one record and one evidence row; a row
-- a creator and a row a facet. Inputs: as_of (the day, one row), capture, capture_creator, capture_facet. They hold one
-- capture within a transaction. The rules of identity in stage 2 do not apply to a single capture: nothing supersedes it or
-- merges with it.

-- Statements are planned once, over empty tables. Statistics of empty tables would limit the width of sorted text.
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

-- researcher_id as in a release; null for an organisation. In a release, a creator without an ORCID iD may join a researcher
-- with one. A single capture cannot show this.
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
