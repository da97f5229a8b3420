/**
 * Verifies rows that follow from published texts and counts: institutions, countries, researcher ids, and use by others.
 */

import { institutionIn } from "../../pipeline/2-normalise/rows.ts";
import { ruleDigests } from "../../pipeline/6-release/digest.ts";
import type { Database } from "../../pipeline/engine/open.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { Details, type Found, MAX_LISTED } from "./finding.ts";

/**
 * Verifies the institutions, countries, researcher ids and numbers of use by others in all tables. `db` has the tables of
 * the release under their names.
 */
export async function verifyTexts(db: Database, receipt: Receipt, found: Found): Promise<void> {
  const { vocabularies } = await ruleDigests();
  await verifyInstitutions(db, receipt.content.inputs.vocabularies === vocabularies, found);
  await reportRows(
    db,
    `select distinct researcher_id from authorship
     where orcid is not null and researcher_id is not null
       and researcher_id <> researcher_id(orcid, false, '', '', '')`,
    ({ researcher_id: id }) => `authorships: the researcher id ${id} does not follow from the ORCID iD in the same row`,
    found,
  );
  for (const [column, counted] of OBSERVED) {
    const isEnriched = "citations" in receipt.enrichments && /^(?:citation|mention)/.test(column);
    if (!isEnriched) await verifyObserved(db, column, counted, found);
  }
}

/**
 * Verifies that the id and label of each institution follow from its exact text. If the word lists are the same, also
 * verifies the countries that follow from this text. Earlier releases do not contain the exact text.
 */
async function verifyInstitutions(db: Database, sameVocabularies: boolean, found: Found): Promise<void> {
  const { countries } = await loadVocabularies();
  const texts = new Details();
  const places = new Details();
  const rows = db.stream(`
    with place as (
      select distinct institution_id, country_code, country_basis from attribution
      where country_basis is null or country_basis in ('text', 'region')
    ), text as (
      select distinct id, reported_json, label from institution where reported_json is not null
    )
    select text.id, text.reported_json, text.label, place.institution_id is not null, place.country_code, place.country_basis
    from text
    left join place on place.institution_id = text.id
    order by all`);
  for await (const batch of rows) {
    for (const [id, reported, label, isPlaced, code, basis] of batch) {
      const made = institutionIn(String(reported));
      if (made?.id !== id || made?.label !== label || made?.reported !== reported) {
        texts.add(`institutions: id or label of ${id} does not follow from its reported_json`);
      } else if (sameVocabularies && isPlaced === true) {
        const country = countries.ofAffiliation(String(label));
        if ((country?.alpha3 ?? null) !== code || (country?.basis ?? null) !== basis)
          places.add(`attributions: the country ${code} of ${id} does not follow from its text`);
      }
    }
  }
  texts.report(found, "invariant");
  places.report(found, "invariant");
}

/**
 * Columns of `record` on use by others, each with its evidence column. The value in `record` is the largest known value in
 * the evidence of the record and of its duplicates.
 */
const OBSERVED = [
  ["views", "view_count"],
  ["downloads", "download_count"],
  ["citations", "citation_count"],
  ["derivatives", "derivative_count"],
  ["mentions", "mention_count"],
] as const;

/**
 * Verifies a column on use by others against the evidence of the record and of its duplicates. A larger value is allowed if
 * the evidence of a duplicate is not published.
 */
async function verifyObserved(db: Database, column: string, counted: string, found: Found): Promise<void> {
  await reportRows(
    db,
    `with other as (
       select alias.id, max(duplicate_evidence.${counted}) as most, count(*) > count(duplicate_evidence.id) as is_open
       from alias
       left join duplicate_evidence on duplicate_evidence.id = alias.alias_id
       group by alias.id
     ), judged as (
       select record.id, record.${column} as stated, greatest(evidence.${counted}, other.most) as known,
         coalesce(other.is_open, false) as is_open
       from record
       join evidence on evidence.id = record.id
       left join other on other.id = record.id
     )
     select id from judged
     where (known is not null and coalesce(stated < known, true)) or (not is_open and stated is distinct from known)`,
    ({ id }) => `records: ${column} of the record ${id} does not follow from the evidence in the release`,
    found,
  );
}

/** Reports the rows that a query selects: lists the first ones and counts all of them. */
async function reportRows(
  db: Database,
  sql: string,
  describe: (row: Readonly<Record<string, unknown>>) => string,
  found: Found,
): Promise<void> {
  const rows = await db.rows(
    `select *, cast(count(*) over () as integer) as all_rows from (${sql}) order by all limit ${MAX_LISTED}`,
  );
  const details = new Details(Number(rows[0]?.all_rows ?? 0));
  for (const row of rows) details.add(describe(row));
  details.report(found, "invariant");
}
