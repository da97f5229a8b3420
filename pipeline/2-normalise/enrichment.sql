-- Counts of citations and mentions from a file of the operator. Grain out: enrichment a DOI. Input: enrichment_row. If a DOI
-- is repeated, the larger value counts.

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
