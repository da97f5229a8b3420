-- Another judge's scores beside ours. Grain out: judged a dataset with both; judged_cell a source, number of signals passed and
-- score of the judge; disagreement a dataset; against_count one row.
-- Inputs: given (line, score), found (line, id), record, score; variables rubric, listed.

-- A panel judges a dataset several times: its mean counts, of an exact sum, so that equal means are equal.
create table judged as
with judgement as (
  select found.id, cast(sum(cast(given.score as decimal(38, 20))) as double) / count(*) as judge, count(*) as judgements
  from given
  join found on found.line = given.line
  where found.id is not null
  group by found.id
)
select record.id, record.source, record.source || '/' || record.source_id as identifier, record.doi, record.title,
  score.total, 4 * cast(bit_count(score.supported_mask) as integer) as cap, judgement.judge, judgement.judgements
from judgement
join record on record.id = judgement.id
join score on score.id = record.id and score.rubric = getvariable('rubric')
where not record.generated and score.status = 'scored';

create view judged_cell as
select source, total, judge, cast(count(*) as integer) as datasets
from judged
group by source, total, judge
order by source, total, judge;

create view against_count as
select (select count(*) from given) as judgements,
  (select count(*) from found where id is null) as unknown,
  (select count(*) from found join record on record.id = found.id where record.generated) as generated,
  (
    select count(*) from found
    join record on record.id = found.id and not record.generated
    anti join judged on judged.id = found.id
  ) as without_total,
  (select count(*) from judged) as datasets;

-- Scales differ, so places in the two orders are compared: the percent of datasets that stand lower, ties by half.
create view disagreement as
with placed as (
  select *, count(*) over () as n,
    rank() over (order by total) - 1 + 0.5 * count(*) over (partition by total) as ours,
    rank() over (order by judge) - 1 + 0.5 * count(*) over (partition by judge) as theirs
  from judged
)
select id, identifier, doi, title, source, total, cap, judge,
  cast(100.0 * ours / n as double) as place, cast(100.0 * theirs / n as double) as judge_place
from placed
where ours <> theirs
order by abs(ours - theirs) desc, id
limit getvariable('listed');
