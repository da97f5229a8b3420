-- Plans the objects of a bucket that must be sent, and the obsolete ones that must be removed. Grain: an object. Key: path.
-- Inputs: wanted (pages in the order of their packs), there (the bucket's listing). An object's tag is the MD5 of its
-- content. If the service encrypts it with its own keys, the tag differs and the object is sent again.

create or replace table to_send as
select wanted.*
from wanted
anti join there using (path, bytes, tag);

create or replace table to_remove as
select there.path
from there
anti join wanted using (path);
