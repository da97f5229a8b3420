-- Copies records with the columns that lists show, sorted by id.
-- Result: wide.records, one row for each record. list-tables.ts names the tables.
-- Input: record. No statement needs memory for all rows, because the windows read sorted rows one after another.

create table wide.records as
select cast(row_number() over () - 1 as integer) as position, sorted.*
from (
  select id, doi, repository, title, pub_date, version_family, status, source, record_kind, access_status, license
  from record order by id
) as sorted;

-- The rank of each title, to sort lists by title.
create table ranked_title as
select position, cast(sum(cast(is_new as integer)) over (rows unbounded preceding) as integer) as rank
from (
  select position, title is distinct from lag(title) over () as is_new
  from (select position, title from wide.records where title is not null order by title)
);

create table countries_of_record (position integer, value varchar);
