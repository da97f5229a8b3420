-- Compares the later use of datasets with their totals.
-- Result: outcome_count, one row for each source, year, outcome, class of its value and number of passed signals. The
-- signals are those of version 2.0, whose total does not depend on later use.
-- Inputs: score, record.

-- Counts of 100 or more are rounded down to two digits, for example 1,234 to 1,200. So a group has at most a few
-- hundred classes, however large the release is.
create view outcome_count as
with observed as (
  select record.source, left(record.pub_date, 4) as year, 'citations' as outcome, record.citations as value, score.passed_mask
  from record join score on score.id = record.id
  where not record.generated and score.rubric = '2.0' and score.status = 'scored'
  union all
  select record.source, left(record.pub_date, 4), 'downloads', record.downloads, score.passed_mask
  from record join score on score.id = record.id
  where not record.generated and score.rubric = '2.0' and score.status = 'scored'
), known as (
  select source, year, outcome, cast(bit_count(passed_mask) as integer) as passed,
    cast(rpad(left(cast(value as varchar), 2), cast(length(cast(value as varchar)) as integer), '0') as integer) as class
  from observed
  where value >= 0 and year is not null
)
select outcome, source, year, class, passed, count(*) as records
from known
group by outcome, source, year, class, passed
order by outcome, source, year, class, passed;
