-- Codes and ranks of texts. Grain out: narrow.label a kind and value, narrow.date a date, keyed_record a record. Inputs:
-- wide.records, ranked_title, countries_of_record. prepare.ts adds the tables of versions.

-- Codes of fields with few distinct values. Comparing numbers is ten times faster than comparing text.
create table narrow.label as
with label as (
  select distinct 'repository' as kind, repository as value from wide.records where repository is not null
  union all
  select distinct 'source', source from wide.records
  union all
  select distinct 'record_kind', record_kind from wide.records where record_kind is not null
  union all
  select distinct 'access_status', access_status from wide.records where access_status is not null
  union all
  select distinct 'license', license from wide.records where license is not null
  union all
  select distinct 'countries', value from countries_of_record
)
select kind, value, cast(row_number() over (order by kind, value) as integer) as code
from label
order by kind, value;

-- Dates and their ranks, for filters with a first or last date.
create table narrow.date as
select value, cast(row_number() over (order by value) as integer) as key
from (select distinct pub_date as value from wide.records where pub_date is not null) as dates
order by value;

-- Records with codes and ranks instead of texts. Null stays null.
create table keyed_record as
select
  shown.position,
  shown.id,
  shown.source as source_name,
  ranked_title.rank as title,
  cast(-length(shown.title) as integer) as relevance,
  date.key as pub_date,
  repository_label.code as repository,
  source_label.code as source,
  record_kind_label.code as record_kind,
  access_status_label.code as access_status,
  license_label.code as license,
  countries_label.code as countries
from wide.records as shown
left join ranked_title on ranked_title.position = shown.position
left join narrow.date as date on date.value = shown.pub_date
left join narrow.label as repository_label
  on repository_label.kind = 'repository' and repository_label.value = shown.repository
join narrow.label as source_label
  on source_label.kind = 'source' and source_label.value = shown.source
left join narrow.label as record_kind_label
  on record_kind_label.kind = 'record_kind' and record_kind_label.value = shown.record_kind
left join narrow.label as access_status_label
  on access_status_label.kind = 'access_status' and access_status_label.value = shown.access_status
left join narrow.label as license_label
  on license_label.kind = 'license' and license_label.value = shown.license
left join countries_of_record on countries_of_record.position = shown.position
left join narrow.label as countries_label
  on countries_label.kind = 'countries' and countries_label.value = countries_of_record.value;

drop table countries_of_record;
drop table ranked_title;
