-- Computes the figures of the whole platform and of repositories.
-- Results: metrics, one row for each version; repository, one row for each label and version; repository_source, one
-- row for each source in it.
-- Inputs: record, score, researcher, sharing_median, published_rubric.
-- Records that failed or have no total are counted, but averages leave them out. Beside each average are the average
-- cap and the share of evaluable signals that passed.

create table scored as
select score.*, record.repository, score_range(score.total) as range, 4 * bit_count(score.supported_mask) as cap,
  bit_count(score.passed_mask) as passed, bit_count(score.evaluable_mask) as evaluable
from score
join record on record.id = score.id
where score.status = 'scored';

create view metrics as
with of_records as (
  select cast(count(*) as integer) as total_records, cast(count(distinct repository) as integer) as repository_count
  from record
), of_scores as (
  select rubric, cast(count(*) as integer) as scored_records,
    mean_of(sum(total), count(*)) as mean_score, mean_of(sum(s), count(*)) as mean_s, mean_of(sum(h), count(*)) as mean_h,
    mean_of(sum(a), count(*)) as mean_a, mean_of(sum(r), count(*)) as mean_r, mean_of(sum(e), count(*)) as mean_e,
    mean_of(sum(cap), count(*)) as mean_cap, mean_of(100 * sum(passed), sum(evaluable)) as passed_of_evaluable,
    mean_of(
      cast(percentile_disc(0.5) within group (order by total) - percentile_disc(0.5) within group (order by -total) as integer), 2
    ) as median_score,
    mean_of(100 * count(*) filter (where total >= 70), count(*)) as pct_above_70,
    cast(count(*) filter (where range = 0) as integer) as d0, cast(count(*) filter (where range = 1) as integer) as d1,
    cast(count(*) filter (where range = 2) as integer) as d2, cast(count(*) filter (where range = 3) as integer) as d3,
    cast(count(*) filter (where range = 4) as integer) as d4, cast(count(*) filter (where range = 5) as integer) as d5,
    cast(count(*) filter (where range = 6) as integer) as d6, cast(count(*) filter (where range = 7) as integer) as d7,
    cast(count(*) filter (where range = 8) as integer) as d8, cast(count(*) filter (where range = 9) as integer) as d9,
    cast(count(*) filter (where range = 10) as integer) as d10,
    cast(count(*) filter (where total = 0) as integer) as t0, cast(count(*) filter (where total = 4) as integer) as t4,
    cast(count(*) filter (where total = 8) as integer) as t8, cast(count(*) filter (where total = 12) as integer) as t12,
    cast(count(*) filter (where total = 16) as integer) as t16, cast(count(*) filter (where total = 20) as integer) as t20,
    cast(count(*) filter (where total = 24) as integer) as t24, cast(count(*) filter (where total = 28) as integer) as t28,
    cast(count(*) filter (where total = 32) as integer) as t32, cast(count(*) filter (where total = 36) as integer) as t36,
    cast(count(*) filter (where total = 40) as integer) as t40, cast(count(*) filter (where total = 44) as integer) as t44,
    cast(count(*) filter (where total = 48) as integer) as t48, cast(count(*) filter (where total = 52) as integer) as t52,
    cast(count(*) filter (where total = 56) as integer) as t56, cast(count(*) filter (where total = 60) as integer) as t60,
    cast(count(*) filter (where total = 64) as integer) as t64, cast(count(*) filter (where total = 68) as integer) as t68,
    cast(count(*) filter (where total = 72) as integer) as t72, cast(count(*) filter (where total = 76) as integer) as t76,
    cast(count(*) filter (where total = 80) as integer) as t80, cast(count(*) filter (where total = 84) as integer) as t84,
    cast(count(*) filter (where total = 88) as integer) as t88, cast(count(*) filter (where total = 92) as integer) as t92,
    cast(count(*) filter (where total = 96) as integer) as t96, cast(count(*) filter (where total = 100) as integer) as t100
  from scored
  group by rubric
), of_every_score as (
  -- Observed use is a figure of version 1.0 that every version shows.
  select rubric, cast(count(*) filter (where status = 'insufficient_evidence') as integer) as insufficient_records,
    mean_of(sum(observed_use), count(observed_use)) as mean_observed_use
  from score
  group by rubric
), of_researchers as (
  select rubric, cast(count(*) as integer) as total_authors,
    cast(count(*) filter (where identity_basis = 'orcid') as integer) as authors_orcid,
    cast(count(*) filter (where identity_basis = 'name_affiliation') as integer) as authors_name_affiliation,
    cast(count(*) filter (where identity_basis = 'name') as integer) as authors_name,
    mean_of(sum(s_index) filter (where identity_basis <> 'name'), count(*) filter (where identity_basis <> 'name')) as mean_s_index,
    max(s_index) filter (where identity_basis <> 'name') as max_s_index
  from researcher
  group by rubric
)
select published_rubric.rubric, of_records.total_records, of_records.repository_count,
  coalesce(of_scores.scored_records, 0) as scored_records,
  coalesce(of_every_score.insufficient_records, 0) as insufficient_records,
  coalesce(of_researchers.total_authors, 0) as total_authors, coalesce(of_researchers.authors_orcid, 0) as authors_orcid,
  coalesce(of_researchers.authors_name_affiliation, 0) as authors_name_affiliation,
  coalesce(of_researchers.authors_name, 0) as authors_name,
  of_scores.mean_score, of_scores.mean_s, of_scores.mean_h, of_scores.mean_a, of_scores.mean_r, of_scores.mean_e,
  of_scores.mean_cap, of_scores.passed_of_evaluable,
  of_every_score.mean_observed_use, of_scores.median_score, of_scores.pct_above_70,
  of_researchers.mean_s_index, of_researchers.max_s_index, mean_of(sharing_median.doubled, 2) as s_index_median,
  coalesce(d0, 0) as d0, coalesce(d1, 0) as d1, coalesce(d2, 0) as d2, coalesce(d3, 0) as d3, coalesce(d4, 0) as d4,
  coalesce(d5, 0) as d5, coalesce(d6, 0) as d6, coalesce(d7, 0) as d7, coalesce(d8, 0) as d8, coalesce(d9, 0) as d9,
  coalesce(d10, 0) as d10,
  coalesce(t0, 0) as t0, coalesce(t4, 0) as t4, coalesce(t8, 0) as t8, coalesce(t12, 0) as t12, coalesce(t16, 0) as t16,
  coalesce(t20, 0) as t20, coalesce(t24, 0) as t24, coalesce(t28, 0) as t28, coalesce(t32, 0) as t32, coalesce(t36, 0) as t36,
  coalesce(t40, 0) as t40, coalesce(t44, 0) as t44, coalesce(t48, 0) as t48, coalesce(t52, 0) as t52, coalesce(t56, 0) as t56,
  coalesce(t60, 0) as t60, coalesce(t64, 0) as t64, coalesce(t68, 0) as t68, coalesce(t72, 0) as t72, coalesce(t76, 0) as t76,
  coalesce(t80, 0) as t80, coalesce(t84, 0) as t84, coalesce(t88, 0) as t88, coalesce(t92, 0) as t92, coalesce(t96, 0) as t96,
  coalesce(t100, 0) as t100
from published_rubric
cross join of_records
left join of_scores on of_scores.rubric = published_rubric.rubric
left join of_every_score on of_every_score.rubric = published_rubric.rubric
left join of_researchers on of_researchers.rubric = published_rubric.rubric
left join sharing_median on sharing_median.rubric = published_rubric.rubric;

-- Records whose repository is unknown are counted under the label ''.
create view repository_source as
select published_rubric.rubric, coalesce(record.repository, '') as repository, record.source,
  cast(count(*) as integer) as record_count, cast(count(scored.id) as integer) as scored_count,
  mean_of(sum(scored.total), count(scored.id)) as mean_score, mean_of(sum(scored.cap), count(scored.id)) as mean_cap,
  mean_of(100 * sum(scored.passed), sum(scored.evaluable)) as passed_of_evaluable,
  cast(count(*) filter (where scored.total = 0) as integer) as t0, cast(count(*) filter (where scored.total = 4) as integer) as t4,
  cast(count(*) filter (where scored.total = 8) as integer) as t8, cast(count(*) filter (where scored.total = 12) as integer) as t12,
  cast(count(*) filter (where scored.total = 16) as integer) as t16, cast(count(*) filter (where scored.total = 20) as integer) as t20,
  cast(count(*) filter (where scored.total = 24) as integer) as t24, cast(count(*) filter (where scored.total = 28) as integer) as t28,
  cast(count(*) filter (where scored.total = 32) as integer) as t32, cast(count(*) filter (where scored.total = 36) as integer) as t36,
  cast(count(*) filter (where scored.total = 40) as integer) as t40, cast(count(*) filter (where scored.total = 44) as integer) as t44,
  cast(count(*) filter (where scored.total = 48) as integer) as t48, cast(count(*) filter (where scored.total = 52) as integer) as t52,
  cast(count(*) filter (where scored.total = 56) as integer) as t56, cast(count(*) filter (where scored.total = 60) as integer) as t60,
  cast(count(*) filter (where scored.total = 64) as integer) as t64, cast(count(*) filter (where scored.total = 68) as integer) as t68,
  cast(count(*) filter (where scored.total = 72) as integer) as t72, cast(count(*) filter (where scored.total = 76) as integer) as t76,
  cast(count(*) filter (where scored.total = 80) as integer) as t80, cast(count(*) filter (where scored.total = 84) as integer) as t84,
  cast(count(*) filter (where scored.total = 88) as integer) as t88, cast(count(*) filter (where scored.total = 92) as integer) as t92,
  cast(count(*) filter (where scored.total = 96) as integer) as t96, cast(count(*) filter (where scored.total = 100) as integer) as t100
from record
cross join published_rubric
left join scored on scored.id = record.id and scored.rubric = published_rubric.rubric
group by published_rubric.rubric, coalesce(record.repository, ''), record.source;

create view repository as
select published_rubric.rubric, coalesce(record.repository, '') as repository,
  cast(count(*) as integer) as record_count, cast(count(scored.id) as integer) as scored_count,
  mean_of(sum(scored.total), count(scored.id)) as mean_score, mean_of(sum(scored.cap), count(scored.id)) as mean_cap,
  mean_of(100 * sum(scored.passed), sum(scored.evaluable)) as passed_of_evaluable,
  cast(count(*) filter (where scored.total = 0) as integer) as t0, cast(count(*) filter (where scored.total = 4) as integer) as t4,
  cast(count(*) filter (where scored.total = 8) as integer) as t8, cast(count(*) filter (where scored.total = 12) as integer) as t12,
  cast(count(*) filter (where scored.total = 16) as integer) as t16, cast(count(*) filter (where scored.total = 20) as integer) as t20,
  cast(count(*) filter (where scored.total = 24) as integer) as t24, cast(count(*) filter (where scored.total = 28) as integer) as t28,
  cast(count(*) filter (where scored.total = 32) as integer) as t32, cast(count(*) filter (where scored.total = 36) as integer) as t36,
  cast(count(*) filter (where scored.total = 40) as integer) as t40, cast(count(*) filter (where scored.total = 44) as integer) as t44,
  cast(count(*) filter (where scored.total = 48) as integer) as t48, cast(count(*) filter (where scored.total = 52) as integer) as t52,
  cast(count(*) filter (where scored.total = 56) as integer) as t56, cast(count(*) filter (where scored.total = 60) as integer) as t60,
  cast(count(*) filter (where scored.total = 64) as integer) as t64, cast(count(*) filter (where scored.total = 68) as integer) as t68,
  cast(count(*) filter (where scored.total = 72) as integer) as t72, cast(count(*) filter (where scored.total = 76) as integer) as t76,
  cast(count(*) filter (where scored.total = 80) as integer) as t80, cast(count(*) filter (where scored.total = 84) as integer) as t84,
  cast(count(*) filter (where scored.total = 88) as integer) as t88, cast(count(*) filter (where scored.total = 92) as integer) as t92,
  cast(count(*) filter (where scored.total = 96) as integer) as t96, cast(count(*) filter (where scored.total = 100) as integer) as t100
from record
cross join published_rubric
left join scored on scored.id = record.id and scored.rubric = published_rubric.rubric
group by published_rubric.rubric, coalesce(record.repository, '');
