-- The sums of a diff. A row from any of these stops it.

select 'what came and went explains the number of records' as check, counted.*
from (
  select (select count(*) from before_record) as before, (select count(*) from after_record) as after,
    (select count(*) from pair) as paired, (select count(*) from arrival) as arrived,
    (select count(*) from departure) as departed
) as counted
where before <> paired + departed or after <> paired + arrived;

select 'the points of its signals are those of the record' as check, change.id, change.rubric, change.points
from change
left join signal_change on signal_change.id = change.id and signal_change.rubric = change.rubric
where change.kind = 'moved' and change.points is not null
group by change.id, change.rubric, change.points
having change.points <> coalesce(sum(signal_change.points), 0);

select 'a cause moves a signal once' as check, id, rubric, signal
from signal_change
group by id, rubric, signal
having count(distinct cause) < count(*);

select 'a record has one row a rubric' as check, id, rubric from change group by id, rubric having count(*) > 1;

select 'a moved record has a cause' as check, id, rubric from change where kind = 'moved' and causes = '';
