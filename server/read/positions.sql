-- Builds the tables that find records by DOI, facet and alias.
-- Results: narrow.doi, narrow.facet and narrow.alias, one row for each DOI, facet of a record, or alias.
-- Inputs: wide.records, facet, alias. Also drops the tables that only the tables of each version needed.

drop table keyed_record;
drop table pledged;

create table narrow.doi as
select doi, position from wide.records where doi is not null order by doi;

create table narrow.facet as
select distinct facet.kind, facet.value, shown.position
from facet
join wide.records as shown on shown.id = facet.id
order by facet.kind, facet.value, shown.position;

create table narrow.alias as
select alias.alias_id, shown.position
from alias
join wide.records as shown on shown.id = alias.id
order by alias.alias_id;
