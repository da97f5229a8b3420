-- Reads researchers from published tables, to rebuild a release without its raw payloads. Replaces 10-researchers.sql,
-- which needs folded names that releases do not contain.
-- Results: authorship, one row for each creator; researcher_identity, one row for each researcher; affiliation, one row
-- for each reported affiliation.
-- Inputs: record; published_authorship, published_researcher, published_attribution, published_institution,
-- published_reported_affiliation.

create view authorship as select * from published_authorship;

create table authored as
select authorship.id, authorship.position, authorship.name, authorship.affiliation, authorship.orcid,
  authorship.researcher_id, authorship.slug, record.version_family
from published_authorship as authorship
join record on record.id = authorship.id
where authorship.researcher_id is not null;

create view identified as select id, position, researcher_id from authored;

-- The name of a researcher that is shown: the most frequent one, and of equally frequent names the first by code point.
-- The affiliation that is shown is chosen in the same way.
create table shown_name as
with counted as (
  select researcher_id, name, count(*) as n from authored group by researcher_id, name
), ranked as (
  select *, row_number() over (partition by researcher_id order by n desc, name) as place from counted
)
select researcher_id, name from ranked where place = 1;

create table shown_affiliation as
with counted as (
  select researcher_id, affiliation, count(*) as n
  from authored where affiliation is not null
  group by researcher_id, affiliation
), ranked as (
  select *, row_number() over (partition by researcher_id order by n desc, affiliation) as place from counted
)
select researcher_id, affiliation from ranked where place = 1;

create table researcher_identity as
with basis as (
  select id, min(identity_basis) as identity_basis from published_researcher group by id
), named as (
  select researcher_id as id, max(orcid) as orcid, min(slug) as slug, count(distinct version_family) as families
  from authored group by researcher_id
)
select named.id, named.orcid, named.slug, shown_name.name, shown_affiliation.affiliation,
  -- Published tables do not show whether a creator without an ORCID iD had an affiliation, so the published basis is
  -- used. It cannot be "name" if the records belong to several version families, because a name alone never joins
  -- families.
  case
    when named.orcid is not null then 'orcid'
    when basis.identity_basis = 'name' and named.families = 1 then 'name'
    else 'name_affiliation'
  end as identity_basis
from named
join shown_name on shown_name.researcher_id = named.id
left join shown_affiliation on shown_affiliation.researcher_id = named.id
left join basis on basis.id = named.id;

drop table shown_name;
drop table shown_affiliation;

create table affiliation as
with text as (
  select id, min(reported_json) as reported_json, min(label) as label from published_institution group by id
)
select reported.id, reported.position, reported.place, reported.institution_id, reported.reported_json, text.label,
  reported.ror, reported.other_ids, attribution.country_code as country, attribution.country_basis
from published_reported_affiliation as reported
left join published_attribution as attribution
  on attribution.id = reported.id and attribution.position = reported.position and attribution.place = reported.place
left join text on text.id = reported.institution_id;
