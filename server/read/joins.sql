-- Positions of records by organisation, funder, award and researcher, and of records and researchers by institution.
-- Grain out: each pair or triple once, and a name of a funder. Inputs: wide.records, wide.authors, wide.institutions,
-- reported_affiliation, attribution, funding, authorship. Runs after the tables of researchers and institutions.

create table narrow.organisation as
select distinct reported_affiliation.ror, shown.position
from reported_affiliation
join wide.records as shown on shown.id = reported_affiliation.id
where reported_affiliation.ror is not null
order by reported_affiliation.ror, shown.position;

-- A record has two values for a funder: the id with its scheme, and the name after `name:`.
create table narrow.funder as
with stated as (
  select id, funder_scheme || ':' || funder_id as value from funding where funder_id is not null
  union all
  select id, 'name:' || lower(funder) from funding where funder is not null
)
select distinct stated.value, shown.position
from stated
join wide.records as shown on shown.id = stated.id
order by stated.value, shown.position;

-- The most frequent spelling of each name, and the datasets that the filter by name selects.
create table narrow.funder_name as
with spelling as (
  select lower(funder) as folded, funder, count(*) as times from funding where funder is not null group by all
),
named as (
  select folded, first(funder order by times desc, funder) as name from spelling group by folded
),
counted as (
  select substr(value, 6) as folded, cast(count(*) as integer) as datasets
  from narrow.funder where value ^@ 'name:' group by all
)
select named.name, counted.datasets
from named
join counted on counted.folded = named.folded
order by counted.datasets desc, named.name;

create table narrow.award as
select distinct lower(funding.award_number) as value, shown.position
from funding
join wide.records as shown on shown.id = funding.id
where funding.award_number is not null
order by lower(funding.award_number), shown.position;

create table narrow.author as
select distinct researcher.position as researcher, shown.position
from authorship
join wide.authors as researcher on researcher.id = authorship.researcher_id
join wide.records as shown on shown.id = authorship.id
order by researcher.position, shown.position;

-- If a creator has no page as a researcher, researcher is null. The table exists because a scan of attribution, which is
-- sorted by record, takes 15 times as long.
create table narrow.affiliation as
select distinct institution.position as institution, shown.position, researcher.position as researcher
from attribution
join wide.institutions as institution on institution.id = attribution.institution_id
join wide.records as shown on shown.id = attribution.id
left join wide.authors as researcher on researcher.id = attribution.researcher_id
order by institution.position, shown.position, researcher.position;
