-- Positions of records by DOI, facet and alias. Grain out: a DOI, a facet of a record, an alias. Inputs: wide.records,
-- facet, alias. Drops two tables that were only needed to make the tables of each version.

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
