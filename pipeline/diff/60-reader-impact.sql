-- Selects the changes that another reader caused.
-- Results: read_otherwise_source, one row for each source and version; read_otherwise_signal, one row for each signal
-- of these; read_otherwise_listed, one row for each of the records that changed most.
-- Inputs: change, signal_change; variable listed: the number of records to list.

create view read_otherwise as
select signal_change.*, change.source
from signal_change
join change on change.id = signal_change.id and change.rubric = signal_change.rubric
where signal_change.cause = 'reading';

-- A record that could not be read in one of the releases counts as a changed record, but none of its signals does.
create view read_otherwise_source as
with moved as (
  select rubric, source, count(*) as records
  from change
  where kind = 'moved' and list_contains(string_split(causes, ' '), 'reading')
  group by rubric, source
), pointed as (
  select rubric, source, sum(points) filter (where points > 0) as gained, -sum(points) filter (where points < 0) as lost
  from read_otherwise
  group by rubric, source
)
select moved.rubric, moved.source, moved.records, cast(coalesce(gained, 0) as integer) as gained,
  cast(coalesce(lost, 0) as integer) as lost
from moved
left join pointed on pointed.rubric = moved.rubric and pointed.source = moved.source
order by moved.rubric desc, moved.source;

create view read_otherwise_signal as
select rubric, source, bit, signal, count(*) as records, cast(sum(points) as integer) as points
from read_otherwise
group by rubric, source, bit, signal
order by rubric desc, source, bit;

create view read_otherwise_listed as
select *
from change
where kind = 'moved' and list_contains(string_split(causes, ' '), 'reading')
order by abs(points) desc nulls last, rubric desc, id
limit getvariable('listed');
