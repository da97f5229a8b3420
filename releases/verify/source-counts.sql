-- Counts the harvested records of each source in the tables of a release.
-- Result: source_count, one row for each source. Payloads that a later one replaced have no row, so their number is
-- only known from the raw payloads.
-- Inputs: record, score, alias, unlisted; variable version: the version under which records without a total are
-- counted.

create view source_count as
select source,
  cast(sum(scored) as integer) as scored, cast(sum(insufficient) as integer) as insufficient,
  cast(sum(failed) as integer) as failed, cast(sum(duplicates) as integer) as duplicates,
  cast(sum(tombstones) as integer) as tombstones, cast(sum(not_dataset) as integer) as "notDataset",
  min(retrieved_at) as oldest, max(retrieved_at) as newest
from (
  select record.source, record.retrieved_at,
    case when score.status = 'scored' then 1 else 0 end as scored,
    case when score.status = 'insufficient_evidence' then 1 else 0 end as insufficient,
    case when record.status = 'failed' then 1 else 0 end as failed,
    0 as duplicates, 0 as tombstones, 0 as not_dataset
  from record
  left join score on score.id = record.id and score.rubric = getvariable('version')
  union all
  select split_part(alias_identifier, '/', 1), null, 0, 0, 0, 1, 0, 0 from alias
  union all
  select split_part(identifier, '/', 1), null, 0, 0, 0, 0,
    case when kind = 'tombstone' then 1 else 0 end, case when kind = 'not_dataset' then 1 else 0 end
  from unlisted
) as counted
group by source;
