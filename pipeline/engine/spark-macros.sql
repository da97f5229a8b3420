-- Functions that all stages use, as in duckdb-macros.sql. They are permanent functions, because views cannot use
-- temporary ones.

create function mean_of(total bigint, n bigint) returns decimal(18, 2) return
  case when n > 0 then cast(cast((200 * total + n) div (2 * n) as decimal(18, 0)) * cast(0.01 as decimal(3, 2)) as decimal(18, 2)) end;

create function score_range(total int) returns int return cast(total div 10 as int);

create function publication_date(date string, as_of string) returns string return
  case when try_cast(regexp_extract(date, '^[0-9]{4}', 0) as int) <= cast(left(as_of, 4) as int) + 1 then date end;

create function sha256(text string) returns string return sha2(text, 256);

create function public_id(letter string, identity string) returns string return letter || substr(sha2(identity, 256), 1, 24);

create function is_researcher(person boolean, folded_name string, orcid string) returns boolean return
  person and (folded_name <> '' or orcid is not null);

create function identity_basis(orcid string, full_name boolean, folded_affiliation string) returns string return case
  when orcid is not null then 'orcid'
  when full_name and folded_affiliation <> '' then 'name_affiliation'
  else 'name'
end;

create function researcher_id(
  orcid string, full_name boolean, folded_name string, folded_affiliation string, version_family string
) returns string return 'a' || substr(sha2(
  case
    when orcid is not null then 'orcid:' || orcid
    when full_name and folded_affiliation <> '' then 'name_affiliation:' || folded_name || '|' || folded_affiliation
    else 'name:' || folded_name || '|' || version_family
  end, 256), 1, 24);
