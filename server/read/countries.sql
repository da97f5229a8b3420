-- The countries of each record in one text, such as DE,FR, for a range of positions. Grain out: a record. Inputs:
-- wide.records, attribution.

insert into countries_of_record
select shown.position, string_agg(distinct attribution.country_code, ',' order by attribution.country_code)
from wide.records as shown
join attribution on attribution.id = shown.id
where
  attribution.country_code is not null
  and shown.position >= getvariable('first') and shown.position < getvariable('end')
group by shown.position;
