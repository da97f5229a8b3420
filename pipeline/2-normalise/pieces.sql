-- Finds the captures that must be joined, because each is only a piece of a record.
-- Result: piece, one row for each piece of a record that has several.
-- Input: parted_capture (written by workers). Rules: docs/method.md, "Records in pieces".

-- A complete capture of a record takes precedence over its pieces. If the record was missing at the source later,
-- pieces that were retrieved before that do not count.
create table piece as
with concerned as (
  select distinct id from parted_capture where piece is not null
), known as (
  select part, row, id, source, source_id, piece, updated, retrieved_at, payload_digest, generated,
    outcome = 'tombstone' and updated is null as gone
  from parted_capture
  where id in (select id from concerned)
), judged as (
  select *, max(case when gone then retrieved_at end) over (partition by id) as gone_at,
    bool_or(gone) over (partition by id) as ever_gone,
    bool_or(piece is null and not gone) over (partition by id) as has_whole
  from known
), latest as (
  select *,
    row_number() over (
      partition by id, piece order by updated desc nulls last, retrieved_at desc nulls last, payload_digest desc, part, row
    ) as place
  from judged
  where piece is not null and not has_whole
    and (not ever_gone or coalesce(retrieved_at > gone_at, gone_at is null and retrieved_at is not null))
), counted as (
  select *, count(*) over (partition by id) as pieces from latest where place = 1
)
select id, source, source_id, piece, part, row, payload_digest, retrieved_at, generated from counted where pieces > 1;
