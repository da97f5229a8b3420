-- Checks the figures of researchers, metrics and attribution. If a statement returns a row, the build stops.

select 'a slug has one researcher' as check, slug, count(*) as researchers from researcher_identity
group by slug having count(*) > 1;

select 'a slug has safe characters and at most 160' as check, slug from researcher_identity
where length(slug) > 160 or not regexp_like(slug, '^[A-Za-z0-9._~-]+\z');

select 'the S-Index is at most the number of datasets' as check, rubric, id from researcher where s_index > dataset_count;

select 'an authorship leads to a researcher' as check, authored.id, authored.position from authored
left join researcher_identity on researcher_identity.id = authored.researcher_id
where researcher_identity.id is null;

select 'the distribution counts every scored record' as check, rubric from metrics
where d0 + d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8 + d9 + d10 <> scored_records;

select 'every record is counted under one repository' as check, metrics.rubric, metrics.total_records
from metrics
left join (select rubric, sum(record_count) as records from repository group by rubric) as labelled
  on labelled.rubric = metrics.rubric
left join (select rubric, sum(record_count) as records from repository_source group by rubric) as spoken
  on spoken.rubric = metrics.rubric
where metrics.total_records <> coalesce(labelled.records, 0) or metrics.total_records <> coalesce(spoken.records, 0);

select 'every researcher is identified on one basis' as check, rubric from metrics
where total_authors <> authors_orcid + authors_name_affiliation + authors_name;

select 'the S-Impact and the datasets with known citations do not exceed the datasets' as check, rubric, id from researcher
where cited_known > cited_datasets or s_impact > cited_known or dataset_count > cited_datasets;

select 'a mean is within its cap' as check, rubric, id from researcher where mean_score > mean_cap;

select 'means are within the scale' as check, rubric from metrics
where mean_score > 100 or greatest(mean_s, mean_h, mean_a, mean_r, mean_e) > 20;

select 'attribution reconciles' as check, records from attribution_coverage
where attributed + unattributed <> records or by_ror + by_field + by_text + by_region <> attributed
  or without_affiliation + without_country <> unattributed;

select 'an affiliation has a basis exactly if it has a country' as check, id, position, place from attribution
where (country_code is null) <> (country_basis is null);
