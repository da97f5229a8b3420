-- Identifies the researchers among the creators.
-- Results: authorship, one row for each creator; researcher_identity, one row for each researcher.
-- Inputs: record, creator, affiliation, withheld (ids of researchers who opted out).
-- Rules: decisions.md, "Identity of researchers". If in doubt, one person becomes two researchers, because that is
-- safer than inventing a person.

create table person as
select creator.id, creator.position, creator.name, creator.orcid, creator.folded_name, creator.slug_name,
  creator.full_name, creator.affiliation, coalesce(affiliation.folded, '') as folded_affiliation, record.version_family
from creator
join record on record.id = creator.id
left join affiliation
  on affiliation.id = creator.id and affiliation.position = creator.position and affiliation.place = 0
where is_researcher(creator.person, creator.folded_name, creator.orcid);

-- Folded names and affiliations of each researcher who has an ORCID iD.
create table orcid_place as
select distinct person.orcid, person.folded_name, affiliation.folded
from person
join affiliation on affiliation.id = person.id and affiliation.position = person.position
where person.orcid is not null and person.full_name and person.folded_name <> '' and affiliation.folded <> '';

-- A creator without an ORCID iD joins the researcher who has an ORCID iD, the same name and the same affiliation, if
-- there is exactly one such researcher. The joins run one after another, because two large joins at once do not fit
-- into memory.
create table affiliated as
select person.id, person.position, person.folded_name, affiliation.folded
from person
join affiliation on affiliation.id = person.id and affiliation.position = person.position
where person.orcid is null and person.full_name;

create table joining as
select affiliated.id, affiliated.position, min(orcid_place.orcid) as orcid
from affiliated
join orcid_place on orcid_place.folded_name = affiliated.folded_name and orcid_place.folded = affiliated.folded
group by affiliated.id, affiliated.position
having count(distinct orcid_place.orcid) = 1;

drop table affiliated;

create table identified as
with keyed as (
  select person.*, coalesce(person.orcid, joining.orcid) as researcher_orcid
  from person
  left join joining on joining.id = person.id and joining.position = person.position
)
select id, position, name, slug_name, affiliation, researcher_orcid as orcid, version_family,
  identity_basis(researcher_orcid, full_name, folded_affiliation) as identity_basis,
  researcher_id(researcher_orcid, full_name, folded_name, folded_affiliation, version_family) as researcher_id
from keyed;

-- Large tables are dropped after use, so that later tables do not spill to disk.
drop table person;
drop table orcid_place;
drop table joining;

-- Researchers who opted out have no row. As creators, they are listed without a name.
create view authored as
select identified.*
from identified
left join withheld on withheld.id = identified.researcher_id
where withheld.id is null;

-- The name of a researcher that is shown: the most frequent one, and of equally frequent names the first by code point.
-- The affiliation that is shown is chosen in the same way.
create table shown_name as
with counted as (
  select researcher_id, name, min(slug_name) as slug_name, count(*) as n from authored group by researcher_id, name
), ranked as (
  select *, row_number() over (partition by researcher_id order by n desc, name) as place from counted
)
select researcher_id, name, slug_name from ranked where place = 1;

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
with named as (
  select authored.researcher_id as id, min(authored.orcid) as orcid, min(authored.identity_basis) as identity_basis
  from authored group by authored.researcher_id
), slugged as (
  select named.*, shown_name.name, shown_affiliation.affiliation,
    coalesce(nullif(shown_name.slug_name, ''), 'researcher') || '-' as stem
  from named
  join shown_name on shown_name.researcher_id = named.id
  left join shown_affiliation on shown_affiliation.researcher_id = named.id
), suffixed as (
  select *, stem || coalesce(orcid, substr(id, 2, 10)) as slug from slugged
)
select id, orcid, identity_basis, name, affiliation,
  -- A slug ends with ten hex digits of the id. If two researchers with the same name share these ten, both slugs use
  -- all 24.
  case when count(*) over (partition by slug) > 1 then stem || substr(id, 2) else slug end as slug
from suffixed;

drop table shown_name;
drop table shown_affiliation;

create view authorship as
select creator.id, creator.position,
  case when withheld.id is null then creator.name else getvariable('withheld_name') end as name,
  case when withheld.id is null then creator.affiliation end as affiliation,
  case when withheld.id is null then creator.orcid end as orcid,
  researcher_identity.id as researcher_id, researcher_identity.slug
from creator
left join identified on identified.id = creator.id and identified.position = creator.position
left join withheld on withheld.id = identified.researcher_id
left join researcher_identity on researcher_identity.id = identified.researcher_id;
