-- Which pages of a release have to be sent to a bucket, and which objects are of pages that are no more.
-- Grain: an object. Key: path.
-- Inputs: wanted (pages in the order of their packs), there (what the bucket lists).
-- An object's tag is the MD5 of its content, unless the service ciphers it with keys of its own: it is sent again then.

create or replace table to_send as
select wanted.*
from wanted
anti join there using (path, bytes, tag);

create or replace table to_remove as
select there.path
from there
anti join wanted using (path);
