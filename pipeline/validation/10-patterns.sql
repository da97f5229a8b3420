-- Counts harvested records by their masks. Grain out: pattern a combination of masks of a source and rubric;
-- signal_count, pair_count, bucket_count, total_count, denominator_count by their keys.
-- Inputs: score, record, signal_bit (bit; 25 rows).

-- A few combinations of masks stand for many records.
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

-- Pairs of signals that were both judged.
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

-- Records for which every supported signal of the bucket was judged.
create view bucket_count as
with bucket as (
  select bit // 5 as bucket from signal_bit group by bit // 5
), complete as (
  select source, rubric, bucket, supported_mask & (31 << (5 * bucket)) as items, passed_mask, records
  from pattern
  cross join bucket
  where evaluable_mask & supported_mask & (31 << (5 * bucket)) = supported_mask & (31 << (5 * bucket))
), counted as (
  select source, rubric, bucket, items, records, passed_mask,
    cast(bit_count(passed_mask & items) as bigint) as passed
  from complete
)
select source, rubric, bucket, items,
  cast(sum(records) as bigint) as n,
  cast(sum(records * passed) as bigint) as passed,
  cast(sum(records * passed * passed) as bigint) as squares,
  cast(coalesce(sum(records) filter (where passed_mask & (1 << (5 * bucket)) <> 0), 0) as bigint) as passed_0,
  cast(coalesce(sum(records) filter (where passed_mask & (2 << (5 * bucket)) <> 0), 0) as bigint) as passed_1,
  cast(coalesce(sum(records) filter (where passed_mask & (4 << (5 * bucket)) <> 0), 0) as bigint) as passed_2,
  cast(coalesce(sum(records) filter (where passed_mask & (8 << (5 * bucket)) <> 0), 0) as bigint) as passed_3,
  cast(coalesce(sum(records) filter (where passed_mask & (16 << (5 * bucket)) <> 0), 0) as bigint) as passed_4
from counted
group by source, rubric, bucket, items
order by source, rubric, bucket, items;

-- Records with a total, by the number of signals passed, and how many of them passed each signal.
create view total_count as
select source, rubric, bit, cast(bit_count(passed_mask) as integer) as passed,
  cast(sum(records) as bigint) as records,
  cast(coalesce(sum(records) filter (where passed_mask & (1 << bit) <> 0), 0) as bigint) as with_signal
from pattern
cross join signal_bit
where scored
group by source, rubric, bit, bit_count(passed_mask)
order by source, rubric, bit, passed;

-- Records with a total, by the numbers of signals passed, supported and judged.
create view denominator_count as
select source, rubric, cast(bit_count(passed_mask) as integer) as passed,
  cast(bit_count(supported_mask) as integer) as supported, cast(bit_count(evaluable_mask) as integer) as evaluable,
  cast(sum(records) as bigint) as records
from pattern
where scored
group by source, rubric, bit_count(passed_mask), bit_count(supported_mask), bit_count(evaluable_mask)
order by source, rubric, passed, supported, evaluable;
