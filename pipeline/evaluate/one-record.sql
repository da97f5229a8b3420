-- One capture as the record it is. Grain: record and evidence the capture under way; creator and facet one of it each.
-- Inputs: capture, capture_creator, capture_facet, which hold one capture at a time, and only within a transaction.
-- Stage 2's rules of identity leave a capture that is alone as it is: nothing supersedes it, nothing merges with it.

-- Plans are made once, over empty tables, and kept. None may rest on what the tables held at that moment: with their
-- statistics, text that is sorted would be packed into the width of the text there was then.
set disabled_optimizers = 'statistics_propagation,compressed_materialization';

create view record as
select capture.*, case when outcome = 'failed' then 'failed' else 'ok' end as status,
  view_count as views, download_count as downloads, citation_count as citations,
  derivative_count as derivatives, mention_count as mentions
from capture;

create view evidence as
select capture.*
from capture
where outcome = 'record';

create view creator as
select position, name, affiliation, orcid
from capture_creator
order by position;

create view facet as
select kind, value
from capture_facet
order by kind, place;
