-- Compares the results for the same dataset from two sources.
-- Result: agreement_count, one row for each signal, version and pair of the source whose record is published and
-- another source.
-- Inputs: score, record, alias, duplicate_evidence (source of each duplicate), duplicate_score (its masks), signal_bit.

create view agreement_count as
select record.source as taken, duplicate_evidence.source as other, score.rubric, signal_bit.bit,
  count(distinct record.id) as records,
  count(*) filter (where score.evaluable_mask & duplicate_score.evaluable_mask & (1 << bit) <> 0) as n,
  count(*) filter (
    where score.passed_mask & duplicate_score.evaluable_mask & (1 << bit) <> 0
  ) as passed_taken,
  count(*) filter (
    where score.evaluable_mask & duplicate_score.passed_mask & (1 << bit) <> 0
  ) as passed_other,
  count(*) filter (where score.passed_mask & duplicate_score.passed_mask & (1 << bit) <> 0) as passed_both
from duplicate_evidence
join alias on alias.alias_id = duplicate_evidence.id
join record on record.id = alias.id and not record.generated
join score on score.id = record.id
join duplicate_score on duplicate_score.id = duplicate_evidence.id and duplicate_score.rubric = score.rubric
cross join signal_bit
group by record.source, duplicate_evidence.source, score.rubric, signal_bit.bit
order by score.rubric, record.source, duplicate_evidence.source, signal_bit.bit;
