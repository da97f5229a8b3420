-- Counts from elsewhere. Grain out: enrichment a DOI that some capture has. Inputs: capture, enrichment_row.
-- A DOI that is there twice counts with its larger value, whatever the order of the rows.

create table enrichment as
with normal as (
  select lower(regexp_replace(trim(doi), '^(https?://(dx\.)?doi\.org/|doi:)', '', 'i')) as doi,
    cast(citations as integer) as citations, cast(mentions as integer) as mentions
  from enrichment_row
)
select normal.doi, max(normal.citations) as citations, max(normal.mentions) as mentions
from normal
where normal.doi in (select doi from capture)
group by normal.doi;
