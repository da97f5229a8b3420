-- Every capture, a joined record in the place of the first of its pieces, which stands for it among the captures.
-- Grain out: capture, capture_creator, capture_affiliation, capture_facet as the workers write them.
-- Inputs: the same as parted_… (workers' parts) and joined_… (records put together of pieces).

create view capture as
select * from parted_capture anti join joined_capture using (part, row)
union all by name select * from joined_capture;

create view capture_creator as
select * from parted_capture_creator anti join joined_capture using (part, row)
union all by name select * from joined_capture_creator;

create view capture_affiliation as
select * from parted_capture_affiliation anti join joined_capture using (part, row)
union all by name select * from joined_capture_affiliation;

create view capture_facet as
select * from parted_capture_facet anti join joined_capture using (part, row)
union all by name select * from joined_capture_facet;
