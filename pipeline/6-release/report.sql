-- Computes the figures that the report shows beside a diff.
-- Results: state_count, one row for each signal, state and version; figure, one row for each release and version;
-- source_points, one row for each source and version. Sums of points are exact, so that differences of averages
-- are rounded once.
-- Inputs: before_record, after_record, before_score, after_score, before_metrics, after_metrics, signal_name,
-- macro state_at (diff).

-- Groups records by their masks first, because there are only few combinations of masks.
create view state_count as
with masks as (
  select rubric, supported_mask, evaluable_mask, passed_mask, source_missing_mask, failed_mask, count(*) as records
  from after_score
  group by rubric, supported_mask, evaluable_mask, passed_mask, source_missing_mask, failed_mask
)
select masks.rubric, signal_name.bit, signal_name.signal,
  state_at(1 << signal_name.bit, supported_mask, evaluable_mask, passed_mask, source_missing_mask, failed_mask) as state,
  cast(sum(records) as integer) as records
from masks
cross join signal_name
group by masks.rubric, signal_name.bit, signal_name.signal, state
order by masks.rubric, signal_name.bit, state;

create view scored_record as
select 'before' as release, score.rubric, record.source, total, s, h, a, r, e
from before_score as score
join before_record as record on record.id = score.id
where total is not null
union all
select 'after' as release, score.rubric, record.source, total, s, h, a, r, e
from after_score as score
join after_record as record on record.id = score.id
where total is not null;

create view figure as
with metrics as (
  select 'before' as release, * from before_metrics
  union all
  select 'after' as release, * from after_metrics
), points as (
  select release, rubric, cast(sum(total) as bigint) as sum_total, cast(sum(s) as bigint) as sum_s,
    cast(sum(h) as bigint) as sum_h, cast(sum(a) as bigint) as sum_a, cast(sum(r) as bigint) as sum_r,
    cast(sum(e) as bigint) as sum_e
  from scored_record
  group by release, rubric
)
select metrics.*, sum_total, sum_s, sum_h, sum_a, sum_r, sum_e
from metrics
left join points on points.release = metrics.release and points.rubric = metrics.rubric;

create view source_points as
select source, rubric,
  cast(coalesce(sum(total) filter (where release = 'before'), 0) as bigint) as sum_before,
  cast(coalesce(sum(total) filter (where release = 'after'), 0) as bigint) as sum_after,
  cast(count(*) filter (where release = 'before') as integer) as count_before,
  cast(count(*) filter (where release = 'after') as integer) as count_after
from scored_record
group by source, rubric
order by source, rubric;
