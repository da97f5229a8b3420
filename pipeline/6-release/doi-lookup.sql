-- Computes where each DOI belongs in the look-up table.
-- Result: doi_place, one row for each record with a DOI; key: place, id. `place` has the first 24 hex digits of the
-- sha256 of the DOI, and `half` the first eight of them as a number.
-- Input: record.

create or replace table doi_place as
select
  substr(sha256(doi), 1, 24) as place,
  cast('0x' || substr(sha256(doi), 1, 8) as ubigint) as half,
  id
from record
where doi is not null;
