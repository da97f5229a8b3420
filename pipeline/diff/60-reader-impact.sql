-- Changes whose cause is another reader. Grain out: read_otherwise_source a source and rubric, read_otherwise_signal a
-- signal of one, read_otherwise_listed a record. Inputs: change, signal_change; variable listed.

create view read_otherwise as
select signal_change.*, change.source
from signal_change
join change on change.id = signal_change.id and change.rubric = signal_change.rubric
where signal_change.cause = 'reading';

-- If a record cannot be read on one side, it counts as a changed record without signals.
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
