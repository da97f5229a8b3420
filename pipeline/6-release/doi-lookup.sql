-- Positions of DOIs for the look-up, one row for each record with a DOI; key: place, id. Input: record. `place` has the
-- first 24 hex digits of the sha256 of the DOI, `half` the first eight as a number.

create or replace table doi_place as
select
  substr(sha256(doi), 1, 24) as place,
  cast('0x' || substr(sha256(doi), 1, 8) as ubigint) as half,
  id
from record
where doi is not null;
