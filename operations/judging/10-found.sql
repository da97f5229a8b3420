-- Which records judgements are of. Grain out: found a line of the file, id null where the release has no such dataset.
-- Inputs: given (line, identifier, doi), record, alias.

create table found as
with by_identifier as (
  select given.line, record.id
  from given
  join record on record.source || '/' || record.source_id = given.identifier
), by_alias as (
  select given.line, min(alias.id) as id
  from given
  join alias on alias.alias_identifier = given.identifier
  group by given.line
), by_doi as (
  select given.line, min(record.id) as id
  from given
  join record on record.doi = given.doi
  group by given.line
)
select given.line, coalesce(by_identifier.id, by_alias.id, by_doi.id) as id
from given
left join by_identifier on by_identifier.line = given.line
left join by_alias on by_alias.line = given.line
left join by_doi on by_doi.line = given.line;
