-- Finds counts in an enrichment file that are not whole numbers of at least 0. Input: enrichment_row.

select 'counts are whole numbers of at least 0' as check, doi, citations, mentions
from enrichment_row
where (citations is not null and (try_cast(citations as integer) is null or try_cast(citations as integer) < 0))
  or (mentions is not null and (try_cast(mentions as integer) is null or try_cast(mentions as integer) < 0))
order by doi, citations, mentions
limit 1;
