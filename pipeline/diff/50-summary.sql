-- Computes the figures of a diff.
-- Results: flow, a single row; movement and of_researchers, one row for each version; of_source, one row for each
-- source and version; by_cause and by_signal, numbers of changed signals; listed and listed_researcher, the largest
-- changes under each version.
-- Inputs: the tables of the steps before; variable listed: the number of entries in a list.

create view flow as
select cast((select count(*) from before_record) as integer) as before,
  cast((select count(*) from after_record) as integer) as after,
  cast((select count(*) from arrival) as integer) as added, cast((select count(*) from departure) as integer) as removed;

create view reason_count as
select kind, reason, cast(count(distinct id) as integer) as records
from change where reason is not null
group by kind, reason
order by kind, reason;

create view movement as
with counted as (
  select rubric, count(*) filter (where kind = 'moved') as moved, count(*) filter (where kind = 'moved' and points > 0) as up,
    count(*) filter (where kind = 'moved' and points < 0) as down
  from change
  group by rubric
)
select compared_rubric.rubric, cast(coalesce(moved, 0) as integer) as moved, cast(coalesce(up, 0) as integer) as up,
  cast(coalesce(down, 0) as integer) as down,
  (select mean_of(sum(total), count(total)) from before_score where before_score.rubric = compared_rubric.rubric) as mean_before,
  (select mean_of(sum(total), count(total)) from after_score where after_score.rubric = compared_rubric.rubric) as mean_after
from compared_rubric
left join counted on counted.rubric = compared_rubric.rubric;

create view by_cause as
select rubric, cause, cast(count(distinct id) as integer) as records, cast(count(*) as integer) as signals,
  cast(coalesce(sum(points) filter (where points > 0), 0) as integer) as gained,
  cast(coalesce(-sum(points) filter (where points < 0), 0) as integer) as lost
from signal_change
group by rubric, cause;

create view by_signal as
select rubric, bit, signal, cause, cast(count(*) as integer) as records, cast(sum(points) as integer) as points
from signal_change
group by rubric, bit, signal, cause
order by rubric, bit, cause;

create view of_researchers as
with moved as (
  select rubric,
    count(*) filter (where s_index_after > s_index_before) as up,
    count(*) filter (where s_index_after < s_index_before) as down,
    count(*) filter (where s_impact_after > s_impact_before) as s_impact_up,
    count(*) filter (where s_impact_after < s_impact_before) as s_impact_down
  from researcher_change
  group by rubric
)
select compared_rubric.rubric, cast(coalesce(up, 0) as integer) as up, cast(coalesce(down, 0) as integer) as down,
  cast(coalesce(s_impact_up, 0) as integer) as s_impact_up, cast(coalesce(s_impact_down, 0) as integer) as s_impact_down,
  cast((select count(*) from after_researcher as a anti join before_researcher as b on b.id = a.id and b.rubric = a.rubric
    where a.rubric = compared_rubric.rubric) as integer) as added,
  cast((select count(*) from before_researcher as b anti join after_researcher as a on a.id = b.id and a.rubric = b.rubric
    where b.rubric = compared_rubric.rubric) as integer) as removed
from compared_rubric
left join moved on moved.rubric = compared_rubric.rubric;

create view of_source as
with judged as (
  select 'before' as side, record.source, compared_rubric.rubric, score.total
  from before_record as record
  cross join compared_rubric
  left join before_score as score on score.id = record.id and score.rubric = compared_rubric.rubric
  union all
  select 'after' as side, record.source, compared_rubric.rubric, score.total
  from after_record as record
  cross join compared_rubric
  left join after_score as score on score.id = record.id and score.rubric = compared_rubric.rubric
), figure as (
  select source, rubric, count(*) filter (where side = 'before') as before, count(*) filter (where side = 'after') as after,
    mean_of(sum(total) filter (where side = 'before'), count(total) filter (where side = 'before')) as mean_before,
    mean_of(sum(total) filter (where side = 'after'), count(total) filter (where side = 'after')) as mean_after
  from judged
  group by source, rubric
), counted as (
  select source, rubric, count(*) filter (where kind = 'moved') as moved,
    count(*) filter (where kind = 'moved' and points > 0) as up,
    count(*) filter (where kind = 'moved' and points < 0) as down,
    count(*) filter (where kind = 'added') as added, count(*) filter (where kind = 'removed') as removed
  from change
  group by source, rubric
)
select figure.source, figure.rubric, cast(before as integer) as before, cast(after as integer) as after,
  cast(coalesce(added, 0) as integer) as added, cast(coalesce(removed, 0) as integer) as removed,
  cast(coalesce(moved, 0) as integer) as moved, cast(coalesce(up, 0) as integer) as up,
  cast(coalesce(down, 0) as integer) as down, mean_before, mean_after
from figure
left join counted on counted.source = figure.source and counted.rubric = figure.rubric
order by figure.source, figure.rubric desc;

create view listed as
with placed as (
  select *, row_number() over (
    partition by kind, rubric
    order by case kind when 'moved' then abs(points) when 'added' then total_after else total_before end desc nulls last, id
  ) as place
  from change
)
select * from placed where place <= getvariable('listed') order by kind, rubric desc, place;

create view listed_researcher as
with placed as (
  select *, row_number() over (
    partition by rubric
    order by abs(s_index_after - s_index_before) desc, abs(s_impact_after - s_impact_before) desc, id
  ) as place
  from researcher_change
)
select * from placed where place <= getvariable('listed') order by rubric desc, place;
