-- A sheet for hand-coding, stratified by source and total. Grain out: drawn a record; stratum a source and range of totals.
-- Inputs: record, score; variables rubric, seed, n.

-- Five ranges of totals, 0-19 to 80-100: with a dozen sources some sixty strata.
create table candidate as
select record.id, record.source, record.source || '/' || record.source_id as identifier, record.title, record.url, record.doi,
  least(score.total // 20, 4) as stratum, sha256(getvariable('seed') || record.id) as draw
from record
join score on score.id = record.id and score.rubric = getvariable('rubric')
where not record.generated and score.status = 'scored';

-- One of each stratum, then a second of each, until there are enough; within a round, and in the sheet, in the order of the draw, so
-- that nobody sees a score in it.
create table drawn as
with placed as (
  select *, row_number() over (partition by source, stratum order by draw) as round from candidate
), chosen as (
  select * from placed order by round, draw limit getvariable('n')
)
select * from chosen;

create view stratum as
select candidate.source, candidate.stratum, cast(count(*) as integer) as records, cast(count(drawn.id) as integer) as drawn
from candidate
left join drawn on drawn.id = candidate.id
group by candidate.source, candidate.stratum
order by candidate.source, candidate.stratum;
