-- The inverted search index. Grain out: search a term and record. Inputs: record (search_terms, separated by spaces).

create view search as
select distinct term, id
from (select id, explode(split(search_terms, ' ')) as term from record) as terms
where term <> '';
