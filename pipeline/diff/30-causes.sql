-- Finds a cause for each signal whose state changed, by comparing the masks of consecutive steps (compare.ts).
-- Results: signal_change, one row for each signal of a changed record and cause; change, one row for each added,
-- removed or changed record and version.
-- Inputs: moved, rescored (masks under the old rules, ids `<step>:<id>`), arrival, departure, before_record,
-- after_record, before_score, after_score, compared_rubric, signal_name (bit, signal), read_alike (sources whose reader
-- did not change, so that only another as-of date can change how payloads are read); variable attributed (yes, no).

create table mask_step as
select id, rubric, 0 as step, supported_before as supported_mask, evaluable_before as evaluable_mask,
  passed_before as passed_mask, source_missing_before as source_missing_mask, failed_before as failed_mask
from moved where supported_before is not null and supported_after is not null
union all
select substr(rescored.id, 3) as id, rescored.rubric, cast(substr(rescored.id, 1, 1) as integer) as step,
  rescored.supported_mask, rescored.evaluable_mask, rescored.passed_mask, rescored.source_missing_mask,
  rescored.failed_mask
from rescored
join moved on moved.id = substr(rescored.id, 3) and moved.rubric = rescored.rubric
union all
select id, rubric, 6 as step, supported_after, evaluable_after, passed_after, source_missing_after, failed_after
from moved where supported_before is not null and supported_after is not null;

-- The steps that changed a mask, each with the masks of the step before.
create table step_change as
with beside as (
  select id, rubric, step, supported_mask as s1, evaluable_mask as e1, passed_mask as p1, source_missing_mask as m1,
    failed_mask as f1,
    lag(supported_mask) over before_it as s0, lag(evaluable_mask) over before_it as e0,
    lag(passed_mask) over before_it as p0, lag(source_missing_mask) over before_it as m0,
    lag(failed_mask) over before_it as f0
  from mask_step
  window before_it as (partition by id, rubric order by step)
)
select *, xor(s0, s1) | xor(e0, e1) | xor(p0, p1) | xor(m0, m1) | xor(f0, f1) as changed
from beside
where step > 0 and (s0, e0, p0, m0, f0) is distinct from (s1, e1, p1, m1, f1);

create macro state_at(flag, supported, evaluable, passed, source_missing, failed) as
  case
    when supported & flag = 0 then 'unsupported' when passed & flag <> 0 then 'passed'
    when failed & flag <> 0 then 'failed' when source_missing & flag <> 0 then 'source_missing'
    when evaluable & flag <> 0 then 'absent' else 'not_evaluable'
  end;

-- The cause of a change follows from the step. But if the payload is the same, only another as-of date or another
-- reader can have changed the state.
create table signal_change as
with named as (
  select step_change.id, step_change.rubric, step_change.step, signal_name.bit, signal_name.signal,
    case
      when getvariable('attributed') = 'no' then 'unknown'
      when step = 6 then 'contract' when step = 5 then 'pledge' when step = 4 then 'as_of'
      when moved.same_payload and read_alike.source is not null then 'as_of'
      when moved.same_payload then 'reading'
      when step = 3 then 'metadata' when step = 2 then 'observed_use' else 'source'
    end as cause,
    state_at(1 << signal_name.bit, s0, e0, p0, m0, f0) as state_before,
    state_at(1 << signal_name.bit, s1, e1, p1, m1, f1) as state_after,
    total_before is not null and total_after is not null as counts
  from step_change
  join moved on moved.id = step_change.id and moved.rubric = step_change.rubric
  left join read_alike on read_alike.source = moved.source
  join signal_name on step_change.changed & (1 << signal_name.bit) <> 0
), joined as (
  -- Several steps can have the same cause. They become one change, from the state before the first to the state after
  -- the last.
  select id, rubric, bit, signal, cause, arg_min(state_before, step) as state_before,
    arg_max(state_after, step) as state_after, any_value(counts) as counts
  from named
  group by id, rubric, bit, signal, cause
)
select id, rubric, bit, signal, cause, state_before, state_after,
  -- Without a total in one of the releases, there are no points that could change.
  cast(case when not counts then 0 else
    case when state_after = 'passed' then 4 else 0 end - case when state_before = 'passed' then 4 else 0 end
  end as integer) as points
from joined
where state_before <> state_after;

-- Returns the status of a score. Early releases do not contain it, so it is derived from the mask and the total.
create macro score_status(mask, total) as
  case when mask is null then 'failed' when total is null then 'insufficient_evidence' else 'scored' end;

create table change as
with told as (
  select id, rubric, string_agg(distinct cause, ' ' order by cause) as causes,
    string_agg(signal || ':' || state_before || '>' || state_after || ':' || cause || ':' || points, ' '
      order by bit, cause) as signals
  from signal_change
  group by id, rubric
), moves as (
  select 'moved' as kind, moved.id, moved.before_id, moved.rubric, moved.total_before, moved.total_after,
    -- If a record could not be read in one of the releases, it has no signals to compare, so the cause is that of the
    -- whole record.
    coalesce(told.causes, case
      -- No signal changed, but only one release has a total, so the rule for totals changed.
      when supported_before is not null and supported_after is not null then 'policy'
      when getvariable('attributed') = 'no' then 'unknown'
      when moved.same_payload then 'reading' else 'source'
    end) as causes,
    null as reason, coalesce(told.signals, '') as signals,
    score_status(supported_before, total_before) as status_before,
    score_status(supported_after, total_after) as status_after
  from moved
  left join told on told.id = moved.id and told.rubric = moved.rubric
), arrivals as (
  select 'added' as kind, arrival.id, null as before_id, compared_rubric.rubric, null as total_before,
    after_score.total as total_after, '' as causes, arrival.reason, '' as signals, null as status_before,
    score_status(after_score.supported_mask, after_score.total) as status_after
  from arrival
  cross join compared_rubric
  left join after_score on after_score.id = arrival.id and after_score.rubric = compared_rubric.rubric
), departures as (
  select 'removed' as kind, departure.id, departure.id as before_id, compared_rubric.rubric,
    before_score.total as total_before, null as total_after, '' as causes, departure.reason, '' as signals,
    score_status(before_score.supported_mask, before_score.total) as status_before, null as status_after
  from departure
  cross join compared_rubric
  left join before_score on before_score.id = departure.id and before_score.rubric = compared_rubric.rubric
), every as (
  select * from moves union all select * from arrivals union all select * from departures
)
select every.rubric, every.id, every.kind,
  case when every.before_id <> every.id then every.before_id end as previous_id,
  coalesce(a.source || '/' || a.source_id, b.source || '/' || b.source_id) as identifier,
  coalesce(a.source, b.source) as source,
  case when a.source <> b.source then b.source end as previous_source,
  coalesce(a.repository, b.repository) as repository, coalesce(a.title, b.title) as title,
  every.status_before, every.status_after, every.total_before, every.total_after,
  every.total_after - every.total_before as points, every.causes, every.reason,
  every.signals
from every
-- The join has a single equality, because with another condition beside it, every record would be compared with every
-- other.
left join after_record as a on a.id = case when every.kind <> 'removed' then every.id end
left join before_record as b on b.id = every.before_id;
