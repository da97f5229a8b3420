-- Builds the tables for joins: positions of records by organisation, funder, award and researcher, and of records and
-- researchers by institution.
-- Results: each pair or triple of values once; narrow.funder_name, one row for each name of a funder.
-- Inputs: wide.records, wide.authors, wide.institutions, reported_affiliation, attribution, funding, authorship. Must
-- run after the tables of researchers and institutions.

create table narrow.organisation as
select distinct reported_affiliation.ror, shown.position
from reported_affiliation
join wide.records as shown on shown.id = reported_affiliation.id
where reported_affiliation.ror is not null
order by reported_affiliation.ror, shown.position;

-- A funder can be found by its id with the scheme, and by its name, which begins with `name:`.
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

-- The most frequent spelling of each funder's name, and the number of datasets that the filter by name finds.
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

-- The column researcher is null if the creator has no page as a researcher. This table is needed because a scan of
-- attribution, which is sorted by record, takes 15 times as long.
create table narrow.affiliation as
select distinct institution.position as institution, shown.position, researcher.position as researcher
from attribution
join wide.institutions as institution on institution.id = attribution.institution_id
join wide.records as shown on shown.id = attribution.id
left join wide.authors as researcher on researcher.id = attribution.researcher_id
order by institution.position, shown.position, researcher.position;
