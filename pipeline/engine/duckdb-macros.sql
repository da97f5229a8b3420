-- Functions of all stages.

-- A mean with two decimals, half up, from whole numbers: results of floating point would depend on threads.
-- Sums are hugeint, which divides ten times as slowly as bigint. A sum that does not fit is an error.
create macro mean_of(total, n) as
  case when n > 0
    then cast(((200 * cast(total as bigint) + n) // (2 * n)) as decimal(18, 0)) * cast(0.01 as decimal(3, 2))
  end;

-- Bucket of the score distribution: 0 for 0-9 … 9 for 90-99, 10 for 100.
create macro score_range(total) as total // 10;

-- A date of publication. Null without a year of four digits, and if the year is after the year that follows the as-of date,
-- because it is then a mistake or of another era.
create macro publication_date(date, as_of) as
  case when try_cast(regexp_extract(date, '^[0-9]{4}') as integer) <= cast(left(as_of, 4) as integer) + 1 then date end;

-- A public id: one letter and 24 hex digits of the sha256 of a key.
create macro public_id(letter, identity) as letter || substr(sha256(identity), 1, 24);

-- Identity of a creator (decisions.md, "Identity of researchers"). Texts may be empty, but not null. The ORCID iD is the
-- creator's own, or that of the one researcher that the creator joins.
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

-- Aliases for functions of other engines.
create macro explode(list) as unnest(list);
create macro regexp_like(text, pattern) as regexp_matches(text, pattern);
