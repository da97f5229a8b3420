-- Computes the figures that the gates judge.
-- Results: source_figure, one row for each source of one of the releases; mean_figure, one row for each source and
-- version of both; over_cap, one row for each source and version with a total that its pledge excludes; held, one row
-- for each version with its counts.
-- Inputs: before_record, after_record, after_unlisted, after_alias, before_score, after_score, compared_rubric,
-- replaced, pledged (source, rubric, supported_mask).

create table source_figure as
with earlier as (
  select record.source, count(*) as before, count(*) filter (where record.status = 'failed') as failed_before,
    -- Records that the source withdrew, or that are no longer a dataset.
    count(*) filter (where unlisted.id is not null) as withdrawn,
    -- A record that another source now provides is not lost.
    count(*) filter (where later.id is null and unlisted.id is null and alias.alias_id is null and replaced.before_id is null)
      as lost,
    count(*) filter (where later.id is null and (alias.alias_id is not null or replaced.before_id is not null)) as merged
  from before_record as record
  left join after_record as later on later.id = record.id
  left join after_unlisted as unlisted on unlisted.id = record.id
  left join after_alias as alias on alias.alias_id = record.id
  left join replaced on replaced.before_id = record.id
  group by record.source
), later as (
  select source, count(*) as after, count(*) filter (where status = 'failed') as failed_after
  from after_record
  group by source
)
select coalesce(earlier.source, later.source) as source, cast(coalesce(before, 0) as integer) as before,
  cast(coalesce(after, 0) as integer) as after, cast(coalesce(failed_before, 0) as integer) as failed_before,
  cast(coalesce(failed_after, 0) as integer) as failed_after, cast(coalesce(withdrawn, 0) as integer) as withdrawn,
  cast(coalesce(lost, 0) as integer) as lost, cast(coalesce(merged, 0) as integer) as merged
from earlier
full join later on later.source = earlier.source;

create table mean_figure as
with earlier as (
  select record.source, score.rubric, mean_of(sum(score.total), count(score.total)) as mean_before
  from before_score as score
  join before_record as record on record.id = score.id
  group by record.source, score.rubric
  having count(score.total) > 0
), later as (
  select record.source, score.rubric, mean_of(sum(score.total), count(score.total)) as mean_after
  from after_score as score
  join after_record as record on record.id = score.id
  group by record.source, score.rubric
  having count(score.total) > 0
)
select later.source, later.rubric, earlier.mean_before, later.mean_after
from later
join earlier on earlier.source = later.source and earlier.rubric = later.rubric
join compared_rubric on compared_rubric.rubric = later.rubric;

create table over_cap as
select score.rubric, record.source, cast(count(*) as integer) as records
from after_score as score
join after_record as record on record.id = score.id
left join pledged on pledged.source = record.source and pledged.rubric = score.rubric
where score.total > 4 * bit_count(coalesce(pledged.supported_mask, 0))
  or score.supported_mask <> coalesce(pledged.supported_mask, 0)
group by score.rubric, record.source;

create table held as
select compared_rubric.rubric, cast(count(*) filter (where record.status = 'failed') as integer) as failed,
  cast(count(*) filter (where score.status = 'scored') as integer) as scored,
  cast(count(*) filter (where score.status = 'insufficient_evidence') as integer) as insufficient
from compared_rubric
left join after_record as record on true
left join after_score as score on score.id = record.id and score.rubric = compared_rubric.rubric
group by compared_rubric.rubric;
