-- Lists the researchers whose S-Index or S-Impact changed.
-- Result: researcher_change, one row for each researcher and version. Both releases must contain the researcher,
-- because a researcher who opted out since then must not be named.
-- Inputs: before_researcher, after_researcher, compared_rubric.

create view researcher_change as
select a.rubric, a.id, a.slug, a.name, b.s_index as s_index_before, a.s_index as s_index_after,
  b.s_impact as s_impact_before, a.s_impact as s_impact_after,
  b.dataset_count as dataset_count_before, a.dataset_count as dataset_count_after
from after_researcher as a
join before_researcher as b on b.id = a.id and b.rubric = a.rubric
join compared_rubric on compared_rubric.rubric = a.rubric
where a.s_index <> b.s_index or a.s_impact <> b.s_impact;
