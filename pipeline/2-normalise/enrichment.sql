-- Counts from elsewhere. Grain out: enrichment a DOI. Input: enrichment_row.
-- A DOI that is there twice counts with its larger value, whatever the order of the rows.

create view enrichment as
with normal as (
  select lower(regexp_replace(trim(doi), '^(https?://(dx\.)?doi\.org/|doi:)', '', 'i')) as doi,
    cast(citations as integer) as citations, cast(mentions as integer) as mentions
  from enrichment_row
)
select doi, max(citations) as citations, max(mentions) as mentions
from normal
where doi is not null
group by doi;
