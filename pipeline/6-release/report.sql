-- Computes the figures that the report shows beside a diff.
-- Results: state_count, one row for each signal, state and version; figure, one row for each release and version.
-- Inputs: after_score, before_metrics, after_metrics, compared_rubric, signal_name, macro state_at (diff).

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

create view figure as
select 'before' as release, * from before_metrics
union all
select 'after' as release, * from after_metrics;
