-- The places of DOIs for their look-up: a record with a DOI a row; key: place, id. `place` is what the first 24 hex digits of the
-- sha256 of the DOI say, `half` the first eight of them as a number. In: record.

create or replace table doi_place as
select
  substr(sha256(doi), 1, 24) as place,
  cast('0x' || substr(sha256(doi), 1, 8) as ubigint) as half,
  id
from record
where doi is not null;
