-- Functions that all stages use.

-- An average with two decimals, rounded half up. Computed from whole numbers, because floating-point results would
-- depend on the number of threads. Sums are of the type hugeint, which divides ten times as slowly as bigint, so they
-- are converted to bigint. A sum that does not fit is an error.
create macro mean_of(total, n) as
  case when n > 0
    then cast(((200 * cast(total as bigint) + n) // (2 * n)) as decimal(18, 0)) * cast(0.01 as decimal(3, 2))
  end;

-- The range of a score in the distribution: 0 for 0 to 9, and so on to 9 for 90 to 99, and 10 for 100.
create macro score_range(total) as total // 10;

-- A date of publication. Null if it has no year of four digits. Also null if it lies after the end of the year that
-- follows the as-of date, because it is then a mistake or of another era.
create macro publication_date(date, as_of) as
  case when try_cast(regexp_extract(date, '^[0-9]{4}') as integer) <= cast(left(as_of, 4) as integer) + 1 then date end;

-- A public id: one letter, and 24 hex digits of the sha256 of the text that identifies the thing.
create macro public_id(letter, identity) as letter || substr(sha256(identity), 1, 24);

-- The identity of a creator (decisions.md, "Identity of researchers"). Texts may be empty, but not null. The ORCID iD
-- is that of the creator, or of the one researcher whom the creator joins.
create macro is_researcher(person, folded_name, orcid) as person and (folded_name <> '' or orcid is not null);

create macro identity_basis(orcid, full_name, folded_affiliation) as case
  when orcid is not null then 'orcid'
  when full_name and folded_affiliation <> '' then 'name_affiliation'
  else 'name'
end;

create macro researcher_id(orcid, full_name, folded_name, folded_affiliation, version_family) as public_id('a',
  case identity_basis(orcid, full_name, folded_affiliation)
    when 'orcid' then 'orcid:' || orcid
    when 'name_affiliation' then 'name_affiliation:' || folded_name || '|' || folded_affiliation
    else 'name:' || folded_name || '|' || version_family
  end);

-- Functions of DuckDB under the names that they have in other engines.
create macro explode(list) as unnest(list);
create macro regexp_like(text, pattern) as regexp_matches(text, pattern);
