-- Counts harvested records by their masks.
-- Results: pattern, one row for each combination of masks, source and version; signal_count, pair_count, total_count
-- and denominator_count, one row for each of their keys.
-- Inputs: score, record, signal_bit (bit; 25 rows).

-- Combinations of masks with their numbers of records. There are few of them, so the counts below are fast.
create table pattern as
select record.source, score.rubric, score.status = 'scored' as scored,
  score.supported_mask, score.evaluable_mask, score.passed_mask, cast(count(*) as bigint) as records
from score
join record on record.id = score.id
where not record.generated
group by record.source, score.rubric, score.status, score.supported_mask, score.evaluable_mask, score.passed_mask;

create view signal_count as
select source, rubric, bit,
  cast(sum(records) as bigint) as records,
  cast(coalesce(sum(records) filter (where supported_mask & (1 << bit) <> 0), 0) as bigint) as supported,
  cast(coalesce(sum(records) filter (where evaluable_mask & (1 << bit) <> 0), 0) as bigint) as evaluable,
  cast(coalesce(sum(records) filter (where passed_mask & (1 << bit) <> 0), 0) as bigint) as passed
from pattern
cross join signal_bit
group by source, rubric, bit
order by source, rubric, bit;

-- For each pair of signals: records for which both could be judged, and how many of them passed.
create view pair_count as
with pair as (
  select one.bit as one, other.bit as other, (1 << one.bit) | (1 << other.bit) as both_bits
  from signal_bit as one
  join signal_bit as other on one.bit < other.bit
)
select source, rubric, pair.one, pair.other,
  cast(sum(records) as bigint) as n,
  cast(coalesce(sum(records) filter (where passed_mask & (1 << pair.one) <> 0), 0) as bigint) as passed_one,
  cast(coalesce(sum(records) filter (where passed_mask & (1 << pair.other) <> 0), 0) as bigint) as passed_other,
  cast(coalesce(sum(records) filter (where passed_mask & both_bits = both_bits), 0) as bigint) as passed_both
from pattern
join pair on pattern.evaluable_mask & both_bits = both_bits
group by source, rubric, pair.one, pair.other
order by source, rubric, pair.one, pair.other;

-- For each signal and number of passed signals: records with a total for which the signal could be judged, and how many
-- of them passed it.
create view total_count as
select source, rubric, bit, cast(bit_count(passed_mask) as integer) as passed,
  cast(sum(records) as bigint) as records,
  cast(coalesce(sum(records) filter (where passed_mask & (1 << bit) <> 0), 0) as bigint) as with_signal
from pattern
cross join signal_bit
where scored and evaluable_mask & (1 << bit) <> 0
group by source, rubric, bit, bit_count(passed_mask)
order by source, rubric, bit, passed;

-- Records with a total, by their numbers of passed, supported and evaluable signals.
create view denominator_count as
select source, rubric, cast(bit_count(passed_mask) as integer) as passed,
  cast(bit_count(supported_mask) as integer) as supported, cast(bit_count(evaluable_mask) as integer) as evaluable,
  cast(sum(records) as bigint) as records
from pattern
where scored
group by source, rubric, bit_count(passed_mask), bit_count(supported_mask), bit_count(evaluable_mask)
order by source, rubric, passed, supported, evaluable;
