-- Writes the countries of each record as one text, such as "DEU,FRA", for a range of positions.
-- Result: countries_of_record, one row for each record.
-- Inputs: wide.records, attribution; variables first and end.

insert into countries_of_record
select shown.position, string_agg(distinct attribution.country_code, ',' order by attribution.country_code)
from wide.records as shown
join attribution on attribution.id = shown.id
where
  attribution.country_code is not null
  and shown.position >= getvariable('first') and shown.position < getvariable('end')
group by shown.position;
