-- A person's coding beside our states. Grain out: coded_twice a record and public version with more than one line; coded_count a
-- signal of a public version; coded_total one row.
-- Inputs: given (line, rubric, present, absent), found (line, id), record, score, signal_bit.

create view coded_twice as
select min(given.line) as first, max(given.line) as last
from given
join found on found.line = given.line
where found.id is not null
group by found.id, given.rubric
having count(*) > 1
order by last;

create view coded_score as
select given.rubric, given.present, given.absent, score.passed_mask, score.evaluable_mask
from given
join found on found.line = given.line
join record on record.id = found.id and not record.generated
join score on score.id = found.id and score.rubric = given.rubric;

create view coded_count as
select rubric, bit,
  count(*) filter (where present & passed_mask & (1 << bit) <> 0) as present_passed,
  count(*) filter (where present & evaluable_mask & ~passed_mask & (1 << bit) <> 0) as present_absent,
  count(*) filter (where present & ~evaluable_mask & (1 << bit) <> 0) as present_unjudged,
  count(*) filter (where absent & passed_mask & (1 << bit) <> 0) as absent_passed,
  count(*) filter (where absent & evaluable_mask & ~passed_mask & (1 << bit) <> 0) as absent_absent,
  count(*) filter (where absent & ~evaluable_mask & (1 << bit) <> 0) as absent_unjudged
from coded_score
cross join signal_bit
group by rubric, bit
order by rubric desc, bit;

create view coded_total as
select (select count(*) from given) as lines,
  (select count(*) from found where id is null) as unknown,
  (select count(*) from found join record on record.id = found.id where record.generated) as generated,
  (select count(*) from coded_score) as coded;
