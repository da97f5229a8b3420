-- Checks that every score follows the rules of rubrics.md. If a statement returns a row, the build stops.

select 'passed is within evaluable' as check, id, rubric from score where passed_mask & ~evaluable_mask <> 0;

select 'evaluable is within supported' as check, id, rubric from score where evaluable_mask & ~supported_mask <> 0;

select 'source missing is within supported' as check, id, rubric from score
where source_missing_mask & ~supported_mask <> 0;

select 'failed is within supported' as check, id, rubric from score where failed_mask & ~supported_mask <> 0;

select 'evaluable, source missing and failed are disjoint' as check, id, rubric from score
where evaluable_mask & source_missing_mask <> 0
  or evaluable_mask & failed_mask <> 0
  or source_missing_mask & failed_mask <> 0;

select 'the total is four points for each passed signal' as check, id, rubric from score
where total <> 4 * bit_count(passed_mask) or total <> s + h + a + r + e;

select 'a record has a total exactly if its status is scored' as check, id, rubric from score
where status not in ('scored', 'insufficient_evidence') or (status = 'scored') <> (total is not null)
  or (total is null) <> (s is null and h is null and a is null and r is null and e is null);

select 'total is within the cap of the source' as check, id, rubric from score
where total > 4 * bit_count(supported_mask);

select 'the evidence of every record is scored once under each version' as check, evidence.id
from evidence
left join score on score.id = evidence.id
group by evidence.id
having count(score.id) <> (select count(distinct rubric) from score);
