-- Checks the records. If a statement returns a row, the build stops.

select 'coverage reconciles' as check, * from coverage
where harvested <> superseded + duplicates + tombstones + not_dataset + failed + scored;

select 'a record has one row' as check, id, count(*) as rows from record group by id having count(*) > 1;

select 'a DOI has one record' as check, doi, count(*) as records from record
where doi is not null group by doi having count(*) > 1;

select 'an alias leads to a record' as check, alias.alias_id, alias.id from alias
left join record on record.id = alias.id where record.id is null;

select 'counts are not negative' as check, id from evidence
where least(keyword_count, description_length, creator_count, file_count, view_count, citation_count) < 0;
