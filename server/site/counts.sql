-- Counts for the site that no response of the API contains. Inputs: record, score.

-- One row for each signal, repository and version. Counts the scored records, and of these the ones whose source
-- supports the signal, for which it can be judged, and that pass it. Records without a repository are counted under ''.
create or replace temp view signal_of_repository as
with judged as (
  select score.rubric, coalesce(record.repository, '') as repository, score.supported_mask, score.evaluable_mask,
    score.passed_mask
  from score
  join record on record.id = score.id
  where score.status = 'scored'
),
bits as (
  select cast(range as integer) as bit from range(25)
)
select judged.rubric, judged.repository, bits.bit, cast(count(*) as integer) as scored,
  cast(sum((judged.supported_mask >> bits.bit) & 1) as integer) as supported,
  cast(sum((judged.evaluable_mask >> bits.bit) & 1) as integer) as judged,
  cast(sum((judged.passed_mask >> bits.bit) & 1) as integer) as passed
from judged
cross join bits
group by judged.rubric, judged.repository, bits.bit;
