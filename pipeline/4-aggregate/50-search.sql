-- Builds the inverted index for the search.
-- Result: search, one row for each term and record.
-- Input: record (search_terms, separated by spaces).

create view search as
select distinct term, id
from (select id, explode(split(search_terms, ' ')) as term from record) as terms
where term <> '';
