-- Combines complete captures with joined records. A joined record replaces the first of the captures that were its
-- pieces.
-- Results: capture, capture_creator, capture_affiliation, capture_facet, capture_funding, capture_value, with the
-- columns that the workers write.
-- Inputs, with the same columns: parted_… (written by workers) and joined_… (joined records).

create view capture as
select parted_capture.* from parted_capture
where not exists (
  select 1 from joined_capture where joined_capture.part = parted_capture.part and joined_capture.row = parted_capture.row
)
union all
select * from joined_capture;

create view capture_creator as
select parted_capture_creator.* from parted_capture_creator
where not exists (
  select 1 from joined_capture where joined_capture.part = parted_capture_creator.part and joined_capture.row = parted_capture_creator.row
)
union all
select * from joined_capture_creator;

create view capture_affiliation as
select parted_capture_affiliation.* from parted_capture_affiliation
where not exists (
  select 1 from joined_capture where joined_capture.part = parted_capture_affiliation.part and joined_capture.row = parted_capture_affiliation.row
)
union all
select * from joined_capture_affiliation;

create view capture_facet as
select parted_capture_facet.* from parted_capture_facet
where not exists (
  select 1 from joined_capture where joined_capture.part = parted_capture_facet.part and joined_capture.row = parted_capture_facet.row
)
union all
select * from joined_capture_facet;

create view capture_funding as
select parted_capture_funding.* from parted_capture_funding
where not exists (
  select 1 from joined_capture where joined_capture.part = parted_capture_funding.part and joined_capture.row = parted_capture_funding.row
)
union all
select * from joined_capture_funding;

create view capture_value as
select parted_capture_value.* from parted_capture_value
where not exists (
  select 1 from joined_capture where joined_capture.part = parted_capture_value.part and joined_capture.row = parted_capture_value.row
)
union all
select * from joined_capture_value;
