-- Checks that the numbers of a diff add up. If a statement returns a row, the comparison stops.

select 'added and removed records explain the change in the number of records' as check, counted.*
from (
  select (select count(*) from before_record) as before, (select count(*) from after_record) as after,
    (select count(*) from pair) as paired, (select count(*) from arrival) as arrived,
    (select count(*) from departure) as departed
) as counted
where before <> paired + departed or after <> paired + arrived;

select 'the points of a changed record are the sum of the points of its signals' as check, change.id, change.rubric, change.points
from change
left join signal_change on signal_change.id = change.id and signal_change.rubric = change.rubric
where change.kind = 'moved' and change.points is not null
group by change.id, change.rubric, change.points
having change.points <> coalesce(sum(signal_change.points), 0);

select 'a changed signal has each cause at most once' as check, id, rubric, signal
from signal_change
group by id, rubric, signal
having count(distinct cause) < count(*);

select 'a record has at most one change under each version' as check, id, rubric from change group by id, rubric having count(*) > 1;

select 'a record whose score changed has a cause' as check, id, rubric from change where kind = 'moved' and causes = '';
