-- Turns captures into records.
-- Results: record, evidence, creator, affiliation, facet, funding and value, with the rows of each record;
-- duplicate_evidence, alias and unlisted, one row for each id that is not a record.
-- Inputs: capture, capture_creator, capture_affiliation, capture_facet, capture_funding, capture_value (written by
-- workers), source_kind (preference of each source), enrichment (counts from another file); variable as_of.
-- Rules: decisions.md, "Identity of records".

-- Chooses one capture of each record: the one that the source updated last, of these the one that was retrieved last,
-- and of these the one with the larger payload digest. A complete capture comes before pieces, and joined pieces count
-- as complete. If the source responded that it does not have the record (404, 410), there is no date of an update. Such
-- a capture only supersedes captures that were retrieved earlier.
create table latest as
with seen as (
  select part, row, id, source, source_id, piece, doi, outcome, updated, retrieved_at, payload_digest,
    outcome = 'tombstone' and updated is null as gone,
    max(case when outcome <> 'tombstone' or updated is not null then retrieved_at end) over (partition by id) as last_seen
  from capture
), ranked as (
  select part, row, id, source, source_id, doi, outcome,
    row_number() over (
      partition by id
      order by
        case when not gone then 1 when last_seen is null or retrieved_at > last_seen then 0 else 2 end,
        piece is not null,
        updated desc nulls last, retrieved_at desc nulls last, payload_digest desc, part, row
    ) as place
  from seen
)
select part, row, id, source, source_id, doi, outcome from ranked where place = 1;

-- Chooses one record of each DOI: from a native source if possible, otherwise from a registry, otherwise from an
-- aggregator. If several remain, the smallest id is taken.
create table listed as
select latest.part, latest.row, latest.id, latest.source, latest.source_id, latest.outcome, latest.doi,
  first_value(latest.id) over (
    partition by coalesce(latest.doi, latest.id) order by source_kind.preference, latest.id
  ) as winner
from latest
join source_kind on source_kind.source = latest.source
where latest.outcome in ('record', 'failed');

create table winner as
select part, row, id from listed where id = winner;

create view alias as
select id as alias_id, source || '/' || source_id as alias_identifier, winner as id
from listed
where id <> winner;

create view unlisted as
select latest.id, latest.source || '/' || latest.source_id as identifier,
  case when latest.outcome = 'tombstone' then 'tombstone' else 'not_dataset' end as kind, capture.reason
from latest
join capture on capture.part = latest.part and capture.row = latest.row
where latest.outcome in ('tombstone', 'not_dataset');

-- Observed use of a record: for each count, the largest value that the merged sources and the enrichment know.
create table observed as
with merged as (
  select listed.winner as id, any_value(listed.doi) as doi,
    max(capture.view_count) as views, max(capture.download_count) as downloads,
    max(capture.citation_count) as citations, max(capture.derivative_count) as derivatives,
    max(capture.mention_count) as mentions
  from listed
  join capture on capture.part = listed.part and capture.row = listed.row
  group by listed.winner
)
select merged.id, merged.views, merged.downloads, greatest(merged.citations, enrichment.citations) as citations,
  merged.derivatives, greatest(merged.mentions, enrichment.mentions) as mentions
from merged
left join enrichment on enrichment.doi = merged.doi;

create view record as
with dated as (
  select capture.*, publication_date(capture.pub_date, getvariable('as_of')) as published
  from winner
  join capture on capture.part = winner.part and capture.row = winner.row
)
select capture.id, capture.source, capture.source_id, capture.reason, capture.updated, capture.retrieved_at,
  capture.payload_digest, capture.generated, capture.doi, capture.repository, capture.title, capture.url, capture.record_kind,
  capture.access_status, capture.license, capture.version, capture.version_family, capture.search_terms,
  capture.published as pub_date, cast(substr(capture.published, 1, 4) as integer) as publication_year,
  case when capture.outcome = 'failed' then 'failed' else 'ok' end as status,
  observed.views, observed.downloads, observed.citations, observed.derivatives, observed.mentions
from dated as capture
join observed on observed.id = capture.id;

create view evidence as
select capture.*
from winner
join capture on capture.part = winner.part and capture.row = winner.row
where capture.outcome = 'record';

-- Evidence of records that are not published because another source was preferred. The validation uses it to measure
-- how far two sources agree on a dataset.
create view duplicate_evidence as
select capture.*
from listed
join capture on capture.part = listed.part and capture.row = listed.row
where listed.id <> listed.winner and capture.outcome = 'record' and not capture.generated;

create view creator as
select winner.id, c.position, c.name, c.person, c.full_name, c.orcid, c.folded_name, c.slug_name, c.affiliation
from winner
join capture_creator as c on c.part = winner.part and c.row = winner.row;

create view affiliation as
select winner.id, a.position, a.place, a.institution_id, a.reported_json, a.label, a.folded, a.ror, a.other_ids, a.country,
  a.country_basis
from winner
join capture_affiliation as a on a.part = winner.part and a.row = winner.row;

create view facet as
select winner.id, f.kind, f.place, f.value
from winner
join capture_facet as f on f.part = winner.part and f.row = winner.row;

create view funding as
select winner.id, f.place, f.funder, f.funder_scheme, f.funder_id, f.award_number, f.award_title, f.award_url
from winner
join capture_funding as f on f.part = winner.part and f.row = winner.row;

create view value as
select winner.id, v.evidence, v.place, v.value, v.counts, v.found_in
from winner
join capture_value as v on v.part = winner.part and v.row = winner.row;

-- Coverage for the receipt. Every capture is counted exactly once.
create table source_coverage as
select capture.source,
  cast(count(*) as integer) as harvested,
  cast(count(*) filter (where latest.id is null) as integer) as superseded,
  cast(count(*) filter (where listed.id is not null and listed.id <> listed.winner) as integer) as duplicates,
  cast(count(*) filter (where latest.outcome = 'tombstone') as integer) as tombstones,
  cast(count(*) filter (where latest.outcome = 'not_dataset') as integer) as not_dataset,
  cast(count(*) filter (where winner.id is not null and latest.outcome = 'failed') as integer) as failed,
  cast(count(*) filter (where winner.id is not null and latest.outcome = 'record') as integer) as scored,
  min(capture.retrieved_at) as oldest_retrieval,
  max(capture.retrieved_at) as newest_retrieval
from capture
left join latest on latest.part = capture.part and latest.row = capture.row
left join listed on listed.part = capture.part and listed.row = capture.row
left join winner on winner.part = capture.part and winner.row = capture.row
group by capture.source;

create view coverage as
select cast(coalesce(sum(harvested), 0) as integer) as harvested,
  cast(coalesce(sum(superseded), 0) as integer) as superseded,
  cast(coalesce(sum(duplicates), 0) as integer) as duplicates,
  cast(coalesce(sum(tombstones), 0) as integer) as tombstones,
  cast(coalesce(sum(not_dataset), 0) as integer) as not_dataset,
  cast(coalesce(sum(failed), 0) as integer) as failed,
  cast(coalesce(sum(scored), 0) as integer) as scored
from source_coverage;
