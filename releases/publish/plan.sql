-- Plans which objects of a bucket must be sent, and which obsolete ones must be removed.
-- Results: to_send and to_remove, one row for each object; key: path.
-- Inputs: wanted (pages in the order of their packs), there (the listing of the bucket). The tag of an object is the
-- MD5 of its content. If the service encrypts objects with its own keys, the tag differs, so the object is sent again.

create or replace table to_send as
select wanted.*
from wanted
anti join there using (path, bytes, tag);

create or replace table to_remove as
select there.path
from there
anti join wanted using (path);
