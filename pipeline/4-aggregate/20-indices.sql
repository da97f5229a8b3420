-- Computes the S-Index, the S-Impact and other figures of researchers.
-- Results: researcher, one row for each researcher and version; researcher_dataset, one row for each listed dataset.
-- Inputs: record, score, authored, researcher_identity.
-- Rules: rubrics.md, "Arithmetic". A dataset counts once, however many of its versions were deposited.

-- Replaces ids by numbers in the same order, because comparing and sorting numbers takes a third of the time. Ids are
-- numbered within each of 256 prefixes, so that no step has to sort all of them.
create table numbered_record as
with headed as (
  select left(id, 3) as head, id, citations, version_family, retrieved_at, updated from record
), counted as (
  select head, count(*) as records from headed group by head
), preceded as (
  select head, coalesce(sum(records) over (order by head rows between unbounded preceding and 1 preceding), 0) as records
  from counted
), numbered as (
  select preceded.records + row_number() over (partition by headed.head order by headed.id) as record, headed.*
  from headed
  join preceded on preceded.head = headed.head
)
select cast(record as integer) as record, id, citations,
  -- The number of a version family is that of its first record.
  cast(min(record) over (partition by version_family) as integer) as family,
  -- If the retrieval date of a record is not known, the date on which the source updated it is used.
  try_cast(substr(coalesce(retrieved_at, updated), 1, 10) as date) as data_date
from numbered;

create table numbered_researcher as
with headed as (
  select left(id, 3) as head, id from researcher_identity
), counted as (
  select head, count(*) as researchers from headed group by head
), preceded as (
  select head, coalesce(sum(researchers) over (order by head rows between unbounded preceding and 1 preceding), 0) as researchers
  from counted
)
select cast(preceded.researchers + row_number() over (partition by headed.head order by headed.id) as integer) as researcher,
  headed.id
from headed
join preceded on preceded.head = headed.head;

-- Scores that have a total. Without a total, a score is unknown and not zero, so it is left out. The cap is the largest
-- total that a record of this source can have.
create table numbered_score as
select numbered_record.record, score.rubric, score.total, score.s, score.h, score.a, score.r, score.e,
  4 * bit_count(score.supported_mask) as cap, bit_count(score.passed_mask) as passed,
  bit_count(score.evaluable_mask) as evaluable, numbered_record.data_date
from score
join numbered_record on numbered_record.id = score.id
where score.status = 'scored';

-- The joins run one after another, as in 10-researchers.sql.
create table authored_by_number as
select numbered_researcher.researcher, authored.id
from authored
join numbered_researcher on numbered_researcher.id = authored.researcher_id;

create table authored_record as
select distinct authored_by_number.researcher, numbered_record.record, numbered_record.family, numbered_record.citations
from authored_by_number
join numbered_record on numbered_record.id = authored_by_number.id;

drop table authored_by_number;

-- Chooses one record of each version family: the one with the best total, and of equally good ones the one with the
-- smallest id.
create table dataset as
with member as (
  select a.researcher, score.*,
    row_number() over (
      partition by a.researcher, score.rubric, a.family order by score.total desc, score.record
    ) as place
  from authored_record as a
  join numbered_score as score on score.record = a.record
)
select researcher, record, rubric, total, s, h, a, r, e, cap, passed, evaluable, data_date,
  row_number() over (partition by researcher, rubric order by total desc, record) as place
from member where place = 1;

-- Computes the S-Index: the largest k such that k datasets have a total of k or more. If totals are sorted in
-- descending order, this is the number of totals that are at least as large as their position.
create table sharing as
with figures as (
  select researcher, rubric,
    cast(count(*) filter (where total >= place) as integer) as s_index,
    cast(count(*) as integer) as dataset_count, max(total) as max_score,
    sum(total) as total, sum(s) as s, sum(h) as h, sum(a) as a, sum(r) as r, sum(e) as e,
    sum(cap) as cap, sum(passed) as passed, sum(evaluable) as evaluable, max(data_date) as data_date
  from dataset
  group by researcher, rubric
)
select numbered_researcher.id as researcher_id, figures.*
from figures
join numbered_researcher on numbered_researcher.researcher = figures.researcher;

-- Computes the S-Impact, which is the same index for citations. Takes the largest count of each version family, even if
-- the dataset has no total. Unknown citations do not count. cited_known is the number of datasets whose citations are
-- known.
create table impact as
with family as (
  select researcher, family, max(citations) as citations
  from authored_record
  group by researcher, family
), ranked as (
  select researcher, citations,
    row_number() over (partition by researcher order by citations desc nulls last, family) as place
  from family
)
select numbered_researcher.id as researcher_id, cast(count(*) filter (where citations >= place) as integer) as s_impact,
  cast(count(citations) as integer) as known, cast(count(*) as integer) as datasets
from ranked
join numbered_researcher on numbered_researcher.researcher = ranked.researcher
group by numbered_researcher.id;

drop table numbered_score;
drop table authored_record;

-- Median of the S-Index over all researchers who are identified by more than a name. The median is doubled, so that it
-- stays a whole number.
create table sharing_median as
select sharing.rubric,
  cast(
    percentile_disc(0.5) within group (order by sharing.s_index)
    - percentile_disc(0.5) within group (order by -sharing.s_index) as integer
  ) as doubled
from sharing
join researcher_identity on researcher_identity.id = sharing.researcher_id
where researcher_identity.identity_basis <> 'name'
group by sharing.rubric;

create table researcher as
select sharing.rubric, researcher_identity.id, researcher_identity.slug, researcher_identity.name,
  researcher_identity.affiliation, researcher_identity.orcid, researcher_identity.identity_basis,
  sharing.s_index, impact.s_impact, impact.known as cited_known, impact.datasets as cited_datasets,
  sharing.dataset_count, sharing.dataset_count as scored_count, sharing.max_score,
  mean_of(sharing.total, sharing.dataset_count) as mean_score, mean_of(sharing.s, sharing.dataset_count) as mean_s,
  mean_of(sharing.h, sharing.dataset_count) as mean_h, mean_of(sharing.a, sharing.dataset_count) as mean_a,
  mean_of(sharing.r, sharing.dataset_count) as mean_r, mean_of(sharing.e, sharing.dataset_count) as mean_e,
  mean_of(sharing.cap, sharing.dataset_count) as mean_cap,
  mean_of(100 * sharing.passed, sharing.evaluable) as passed_of_evaluable,
  mean_of(sharing_median.doubled, 2) as s_index_median, cast(sharing.data_date as string) as data_date
from sharing
join researcher_identity on researcher_identity.id = sharing.researcher_id
join impact on impact.researcher_id = sharing.researcher_id
left join sharing_median on sharing_median.rubric = sharing.rubric;

drop table sharing;
drop table impact;

create view researcher_dataset as
select dataset.rubric, numbered_researcher.id as researcher_id, cast(dataset.place as integer) as place, numbered_record.id
from dataset
join numbered_researcher on numbered_researcher.researcher = dataset.researcher
join numbered_record on numbered_record.record = dataset.record
where dataset.place <= 100;
