-- Compares scores under scaled thresholds with the published scores.
-- Results: threshold_signal, one row for each signal, scale, source and version; threshold_order, one row for each pair
-- of numbers of passed signals, before and after scaling.
-- Inputs: scaled_score (scale, with the columns of score), score, record, signal_bit.

create view threshold_signal as
select record.source, scaled_score.rubric, scaled_score.scale, bit,
  cast(count(*) filter (where scaled_score.evaluable_mask & (1 << bit) <> 0) as bigint) as evaluable,
  cast(count(*) filter (where scaled_score.passed_mask & (1 << bit) <> 0) as bigint) as passed
from scaled_score
join record on record.id = scaled_score.id
cross join signal_bit
group by record.source, scaled_score.rubric, scaled_score.scale, bit
order by record.source, scaled_score.rubric, scaled_score.scale, bit;

create view threshold_order as
select record.source, score.rubric, scaled_score.scale,
  cast(bit_count(score.passed_mask) as integer) as passed, cast(bit_count(scaled_score.passed_mask) as integer) as scaled,
  cast(count(*) as bigint) as records
from scaled_score
join score on score.id = scaled_score.id and score.rubric = scaled_score.rubric and score.status = 'scored'
join record on record.id = score.id
group by record.source, score.rubric, scaled_score.scale, bit_count(score.passed_mask), bit_count(scaled_score.passed_mask)
order by record.source, score.rubric, scaled_score.scale, passed, scaled;
