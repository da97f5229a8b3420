-- Selects the pairs of records whose score changed.
-- Result: moved, one row for each such pair and version.
-- Inputs: pair, compared_rubric, before_score, after_score. A failed record has no score, so its masks and totals are
-- null. A record with too few evaluable signals has masks, but its totals are null.

create table moved as
select pair.id, pair.before_id, pair.source, pair.before_source, pair.same_payload, compared_rubric.rubric,
  b.total as total_before, b.supported_mask as supported_before, b.evaluable_mask as evaluable_before,
  b.passed_mask as passed_before, b.source_missing_mask as source_missing_before, b.failed_mask as failed_before,
  a.total as total_after, a.supported_mask as supported_after, a.evaluable_mask as evaluable_after,
  a.passed_mask as passed_after, a.source_missing_mask as source_missing_after, a.failed_mask as failed_after
from pair
cross join compared_rubric
left join before_score as b on b.id = pair.before_id and b.rubric = compared_rubric.rubric
left join after_score as a on a.id = pair.id and a.rubric = compared_rubric.rubric
where b.total is distinct from a.total
  or b.supported_mask is distinct from a.supported_mask
  or b.evaluable_mask is distinct from a.evaluable_mask
  or b.passed_mask is distinct from a.passed_mask
  or b.source_missing_mask is distinct from a.source_missing_mask
  or b.failed_mask is distinct from a.failed_mask;

-- Changed pairs that have scores in both releases, so that their evidence can be compared.
create table moved_pair as
select distinct id, before_id, source, before_source
from moved
where supported_before is not null and supported_after is not null;
