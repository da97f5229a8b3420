-- Checks that counts in the evidence agree with the rows that they count, in a build and in a finished release. If a
-- statement returns a row, the build stops.
-- Inputs: record, evidence, funding, affiliation.

-- A funder is counted by its name, or by its identifier if it has no name. A row without any value stands for a funder
-- who is a person.
select 'funders and awards agree with their counts' as check, evidence.id, funder_count, award_count, stated.funders, stated.awards
from evidence
left join (
  select id,
    count(distinct coalesce(funder, funder_scheme || ':' || funder_id))
      + count(*) filter (where coalesce(funder, funder_id, award_number, award_title, award_url) is null) as funders,
    count(distinct award_number) as awards
  from funding
  group by id
) as stated on stated.id = evidence.id
where coalesce(funder_count, 0) <> coalesce(stated.funders, 0) or coalesce(award_count, 0) <> coalesce(stated.awards, 0);

select 'a scheme has an id' as check, id, place from funding where (funder_scheme is null) <> (funder_id is null);

-- The count may be larger than the number of rows, because it includes creators that are organisations.
select 'identifiers of affiliations are in their count' as check, stated.id, organization_pid_count, stated.ids
from (
  select id, count(distinct pid) as ids
  from (
    select id, concat('ror:', ror) as pid from affiliation where ror is not null
    union all
    select id, explode(split(other_ids, ' ')) as pid from affiliation where other_ids is not null
  ) as pids
  where not (pid like 'crossref_funder:%' or pid like 'ringgold:%')
  group by id
) as stated
join evidence on evidence.id = stated.id
where organization_pid_count < stated.ids;

select 'the year is that of the date' as check, id, pub_date, publication_year from record
where coalesce(publication_year, -1) <> coalesce(cast(substr(pub_date, 1, 4) as integer), -1);
