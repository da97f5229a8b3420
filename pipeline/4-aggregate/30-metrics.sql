-- Platform figures. Grain out: metrics a rubric; repository a label and rubric.
-- Inputs: record, score, researcher, published_rubric. Failed records count as records and never in a mean.

create table scored as
select score.*, record.repository, score_range(score.total) as range
from score
join record on record.id = score.id;

create view metrics as
with of_records as (
  select cast(count(*) as integer) as total_records, cast(count(distinct repository) as integer) as repository_count
  from record
), of_scores as (
  select rubric, cast(count(*) as integer) as scored_records,
    mean(sum(total), count(*)) as mean_score, mean(sum(s), count(*)) as mean_s, mean(sum(h), count(*)) as mean_h,
    mean(sum(a), count(*)) as mean_a, mean(sum(r), count(*)) as mean_r, mean(sum(e), count(*)) as mean_e,
    mean(sum(observed_use), count(*)) as mean_observed_use,
    mean(quantile_disc(total, 0.5) - quantile_disc(-total, 0.5), 2) as median_score,
    mean(100 * count(*) filter (where total >= 70), count(*)) as pct_above_70,
    cast(count(*) filter (where range = 0) as integer) as d0, cast(count(*) filter (where range = 1) as integer) as d1,
    cast(count(*) filter (where range = 2) as integer) as d2, cast(count(*) filter (where range = 3) as integer) as d3,
    cast(count(*) filter (where range = 4) as integer) as d4, cast(count(*) filter (where range = 5) as integer) as d5,
    cast(count(*) filter (where range = 6) as integer) as d6, cast(count(*) filter (where range = 7) as integer) as d7,
    cast(count(*) filter (where range = 8) as integer) as d8, cast(count(*) filter (where range = 9) as integer) as d9,
    cast(count(*) filter (where range = 10) as integer) as d10
  from scored
  group by rubric
), of_researchers as (
  select rubric, cast(count(*) as integer) as total_authors,
    mean(sum(s_index) filter (where identity_basis <> 'name'), count(*) filter (where identity_basis <> 'name')) as mean_s_index,
    max(s_index) filter (where identity_basis <> 'name') as max_s_index
  from researcher
  group by rubric
)
select published_rubric.rubric, of_records.total_records, of_records.repository_count,
  coalesce(of_scores.scored_records, 0) as scored_records, coalesce(of_researchers.total_authors, 0) as total_authors,
  of_scores.mean_score, of_scores.mean_s, of_scores.mean_h, of_scores.mean_a, of_scores.mean_r, of_scores.mean_e,
  of_scores.mean_observed_use, of_scores.median_score, of_scores.pct_above_70,
  of_researchers.mean_s_index, of_researchers.max_s_index,
  coalesce(d0, 0) as d0, coalesce(d1, 0) as d1, coalesce(d2, 0) as d2, coalesce(d3, 0) as d3, coalesce(d4, 0) as d4,
  coalesce(d5, 0) as d5, coalesce(d6, 0) as d6, coalesce(d7, 0) as d7, coalesce(d8, 0) as d8, coalesce(d9, 0) as d9,
  coalesce(d10, 0) as d10
from published_rubric
cross join of_records
left join of_scores on of_scores.rubric = published_rubric.rubric
left join of_researchers on of_researchers.rubric = published_rubric.rubric;

create view repository as
select published_rubric.rubric, record.repository, cast(count(*) as integer) as record_count,
  cast(count(score.id) as integer) as scored_count, mean(sum(score.total), count(score.id)) as mean_score
from record
cross join published_rubric
left join score on score.id = record.id and score.rubric = published_rubric.rubric
where record.repository is not null
group by published_rubric.rubric, record.repository;
