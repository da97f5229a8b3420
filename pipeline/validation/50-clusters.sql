-- Counts clusters of records that were probably described by the same person in the same way.
-- Result: cluster_count, one row for each signal, source and version, with sums over its clusters.
-- Inputs: score, record, authorship, signal_bit; variable clusters_below.

-- A cluster consists of the records of one source whose first creator has the same name. Researcher ids would not do,
-- because they separate the records of a person without an identifier. A record without a named creator is a cluster of
-- its own.
create table record_cluster as
with clustered as (
  select record.id, record.source, coalesce(nullif(authorship.name, 'withheld'), record.id) as creator
  from record
  left join authorship on authorship.id = record.id and authorship.position = 0
  where not record.generated
)
select id, source, creator
from clustered
where left(sha256(source || ' ' || creator), 3) < getvariable('clusters_below');

create view cluster_count as
with counted as (
  select record_cluster.source, score.rubric, bit, record_cluster.creator,
    count(*) as e, count(*) filter (where passed_mask & (1 << bit) <> 0) as p
  from score
  join record_cluster on record_cluster.id = score.id
  cross join signal_bit
  where evaluable_mask & (1 << bit) <> 0
  group by record_cluster.source, score.rubric, bit, record_cluster.creator
)
select source, rubric, bit, count(*) as clusters, cast(sum(e) as bigint) as n, cast(sum(p) as bigint) as passed,
  cast(sum(p * p) as bigint) as pp, cast(sum(p * e) as bigint) as pe, cast(sum(e * e) as bigint) as ee
from counted
group by source, rubric, bit
order by source, rubric, bit;
