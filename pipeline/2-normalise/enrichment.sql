-- Counts of citations and mentions from outside the sources. Grain out: enrichment a DOI. Input: enrichment_row.
-- The larger value of a repeated DOI counts, whatever the order of the rows.

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
