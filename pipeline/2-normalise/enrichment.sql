-- Reads numbers of citations and mentions from a file of the operator.
-- Result: enrichment, one row for each DOI. If a DOI occurs several times, the largest number counts.
-- Input: enrichment_row.

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
