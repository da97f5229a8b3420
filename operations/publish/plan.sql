-- What to do for each file of a release that is published.
-- Grain: a file. Key: path.
-- Inputs: wanted (the manifest), base (files of whole releases the target has), present (what lies there of this one).
-- `source_release` and `source_path`: where the target has the same bytes already, '' for this release itself; null
-- where they have to be sent. `maybe`: a file of that name and size is there, of which the digest is still to be seen.

create or replace table plan as
with
  same_place as (
    select path, sha256, min(release) as release
    from base
    group by path, sha256
  ),
  other_place as (
    select sha256, min({'release': release, 'path': path}) as source
    from base
    group by sha256
  ),
  -- Files of one release can be alike, as badges of one score are: one of them is sent.
  twins as (
    select sha256, min(path) as path
    from wanted
    group by sha256
  )
select
  wanted.path,
  wanted.bytes,
  wanted.sha256,
  present.path is not null as maybe,
  coalesce(
    same_place.release,
    other_place.source.release,
    case when twins.path <> wanted.path then '' end
  ) as source_release,
  coalesce(
    case when same_place.release is not null then wanted.path end,
    other_place.source.path,
    case when twins.path <> wanted.path then twins.path end
  ) as source_path
from wanted
left join same_place on same_place.path = wanted.path and same_place.sha256 = wanted.sha256
left join other_place on other_place.sha256 = wanted.sha256
left join twins on twins.sha256 = wanted.sha256
left join present on present.path = wanted.path and present.bytes = wanted.bytes;
