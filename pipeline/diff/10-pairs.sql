-- Compares the records of two releases.
-- Results: pair, one row for each dataset in both releases; gone and come, one row for each record in only the earlier
-- or only the later one; arrival and departure, the reasons for this.
-- Inputs: before_record, after_record, before_alias, after_alias, before_unlisted, after_unlisted.

create table gone as
select before_record.id
from before_record
left join after_record on after_record.id = before_record.id
where after_record.id is null;

create table come as
select after_record.id
from after_record
left join before_record on before_record.id = after_record.id
where before_record.id is null;

-- Pairs of a removed and an added record that are the same dataset. This happens if another source becomes the
-- preferred one, because the dataset then has the id of that source.
create table replaced as
with offered as (
  select gone.id as before_id, come.id as after_id
  from after_alias
  join gone on gone.id = after_alias.alias_id
  join come on come.id = after_alias.id
  union
  select gone.id as before_id, come.id as after_id
  from before_alias
  join gone on gone.id = before_alias.id
  join come on come.id = before_alias.alias_id
), ranked as (
  select before_id, after_id, row_number() over (partition by before_id order by after_id) as place,
    row_number() over (partition by after_id order by before_id) as other_place
  from offered
)
select before_id, after_id from ranked where place = 1 and other_place = 1;

create table pair as
with matched as (
  select after_record.id as before_id, after_record.id
  from after_record
  join before_record on before_record.id = after_record.id
  union all
  select before_id, after_id as id from replaced
)
select matched.id, matched.before_id, after_record.source, before_record.source as before_source,
  before_record.payload_digest is not distinct from after_record.payload_digest
    and before_record.source = after_record.source as same_payload
from matched
join before_record on before_record.id = matched.before_id
join after_record on after_record.id = matched.id;

create table arrival as
select come.id,
  case
    when after_record.source not in (select source from before_record) then 'source_added'
    when before_alias.alias_id is not null then 'split'
    when before_unlisted.id is not null then 'returned'
    else 'new'
  end as reason
from come
join after_record on after_record.id = come.id
left join before_alias on before_alias.alias_id = come.id
left join before_unlisted on before_unlisted.id = come.id
left join replaced on replaced.after_id = come.id
where replaced.after_id is null;

create table departure as
select gone.id,
  case
    when after_unlisted.id is not null then after_unlisted.kind
    when after_alias.alias_id is not null then 'merged'
    when before_record.source not in (select source from after_record) then 'source_gone'
    else 'lost'
  end as reason
from gone
join before_record on before_record.id = gone.id
left join after_unlisted on after_unlisted.id = gone.id
left join after_alias on after_alias.alias_id = gone.id
left join replaced on replaced.before_id = gone.id
where replaced.before_id is null;
