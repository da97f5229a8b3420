-- Counts for the site that no API response has. Inputs: record, score.

-- Grain: one signal of one repository under one version. Counts scored records, those whose source supports it, those
-- that can be judged, and those that pass. The repository of records that state none is ''.
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
