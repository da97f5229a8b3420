-- Compares later use of a dataset with its total. Grain out: outcome_count a source, year, outcome, class of its value and
-- number of signals passed under 2.0, whose total does not depend on later use. Inputs: score, record.

-- Values from 100 are rounded down to two digits. A stratum then has a few hundred classes, however large the release is.
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
