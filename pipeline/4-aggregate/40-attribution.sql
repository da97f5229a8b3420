-- Attributes records to the affiliations of their creators and to countries.
-- Results: attribution, one row for each reported affiliation of a creator; institution, one row for each text of an
-- affiliation and version; country, one row for each country and version. A record with creators in several countries
-- counts once in each.
-- Inputs: record, affiliation, identified, withheld, scored, ror (ror, country_code), published_rubric; variable
-- attribution: "with", or "without" for empty tables.

create table attribution as
select affiliation.id, affiliation.position, affiliation.place, affiliation.institution_id,
  coalesce(ror.country_code, affiliation.country) as country_code,
  case when ror.country_code is not null then 'ror' else affiliation.country_basis end as country_basis, identified.researcher_id
from affiliation
left join ror on ror.ror = affiliation.ror
left join identified on identified.id = affiliation.id and identified.position = affiliation.position
left join withheld on withheld.id = identified.researcher_id
where withheld.id is null and getvariable('attribution') = 'with';

-- The text of each institution_id. All affiliations with the same id have the same text, so any of them can be taken.
create table institution_text as
with text as (
  select institution_id, min(reported_json) as reported_json, min(label) as label from affiliation group by institution_id
), attributed as (
  select institution_id, max(country_code) as country_code, cast(count(distinct researcher_id) as integer) as author_count
  from attribution group by institution_id
)
select attributed.institution_id, text.reported_json, text.label, attributed.country_code, attributed.author_count
from attributed
join text on text.institution_id = attributed.institution_id;

-- The places of each record. A place is an institution or a country, and a record counts once in each of its places.
create table placed as
select distinct 'institution' as kind, institution_id as place, id from attribution
union all
select distinct 'country' as kind, country_code as place, id from attribution where country_code is not null;

create table placed_score as
select placed.kind, placed.place, published_rubric.rubric,
  cast(count(*) as integer) as record_count, cast(count(scored.id) as integer) as scored_count,
  mean_of(sum(scored.total), count(scored.id)) as mean_score,
  mean_of(sum(scored.s), count(scored.id)) as mean_s, mean_of(sum(scored.h), count(scored.id)) as mean_h,
  mean_of(sum(scored.a), count(scored.id)) as mean_a, mean_of(sum(scored.r), count(scored.id)) as mean_r,
  mean_of(sum(scored.e), count(scored.id)) as mean_e, mean_of(sum(scored.cap), count(scored.id)) as mean_cap,
  mean_of(100 * sum(scored.passed), sum(scored.evaluable)) as passed_of_evaluable,
  cast(count(*) filter (where range = 0) as integer) as d0, cast(count(*) filter (where range = 1) as integer) as d1,
  cast(count(*) filter (where range = 2) as integer) as d2, cast(count(*) filter (where range = 3) as integer) as d3,
  cast(count(*) filter (where range = 4) as integer) as d4, cast(count(*) filter (where range = 5) as integer) as d5,
  cast(count(*) filter (where range = 6) as integer) as d6, cast(count(*) filter (where range = 7) as integer) as d7,
  cast(count(*) filter (where range = 8) as integer) as d8, cast(count(*) filter (where range = 9) as integer) as d9,
  cast(count(*) filter (where range = 10) as integer) as d10,
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
from placed
cross join published_rubric
left join scored on scored.id = placed.id and scored.rubric = published_rubric.rubric
group by placed.kind, placed.place, published_rubric.rubric;

create view institution as
select placed_score.*, placed_score.place as id, institution_text.reported_json, institution_text.label, institution_text.country_code,
  institution_text.author_count
from placed_score
join institution_text on institution_text.institution_id = placed_score.place
where placed_score.kind = 'institution';

create view country as
select placed_score.*, placed_score.place as country_code, countries.institution_count
from placed_score
join (
  select country_code, cast(count(distinct institution_id) as integer) as institution_count
  from attribution where country_code is not null group by country_code
) as countries on countries.country_code = placed_score.place
where placed_score.kind = 'country';

create view attribution_coverage as
-- Each record is counted under the most reliable basis of its countries. If it has no country, it is counted under the
-- reason why.
with strongest as (
  select id,
    min(case country_basis when 'ror' then 1 when 'field' then 2 when 'text' then 3 when 'region' then 4 else 5 end) as rank
  from attribution group by id
)
select cast(count(*) as integer) as records, cast(count(*) filter (where rank < 5) as integer) as attributed,
  cast(count(*) filter (where rank is null or rank = 5) as integer) as unattributed,
  cast(count(*) filter (where rank = 1) as integer) as by_ror,
  cast(count(*) filter (where rank = 2) as integer) as by_field,
  cast(count(*) filter (where rank = 3) as integer) as by_text,
  cast(count(*) filter (where rank = 4) as integer) as by_region,
  cast(count(*) filter (where rank = 5) as integer) as without_country,
  cast(count(*) filter (where rank is null) as integer) as without_affiliation
from record
left join strongest on strongest.id = record.id;
