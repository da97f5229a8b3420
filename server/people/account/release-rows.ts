/** Records and researchers that belong to an account, as lists of the active release show them. */

import { type RecordRow, recordRow } from "../../../schemas/public/api/record.ts";
import { type ResearcherRow, researcherRow } from "../../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../../schemas/public/rubric.ts";
import { TABLES } from "../../read/queries/lists.ts";
import { type ShownRow, showRows } from "../../read/queries/show-rows.ts";
import type { ActiveRelease } from "../../read/release/active-release.ts";
import type { OpenRelease } from "../../read/release/open-release.ts";

type Rows<Row> = ReadonlyMap<string, Row>;

/**
 * Rows of records by id; ids that the release does not list, under whichever name, are left out. Nothing where no
 * release is active.
 */
export async function recordRows(active: ActiveRelease, ids: readonly string[]): Promise<Rows<RecordRow>> {
  if (active.digest === null || ids.length === 0) return new Map();
  return active.use(async (release) => {
    const winners = await winnersOf(release, ids);
    const rows = await rowsOf(release, "records", [...new Set([...ids, ...winners.values()])]);
    const found = ids.flatMap((id) => {
      const row = rows.get(id) ?? rows.get(winners.get(id) ?? "");
      return row === undefined ? [] : [[id, recordRow.parse(row)] as const];
    });
    return new Map(found);
  });
}

/** Rows of researchers by id; whoever asks decides which of them may be seen. */
export async function researcherRows(active: ActiveRelease, ids: readonly string[]): Promise<Rows<ResearcherRow>> {
  if (active.digest === null || ids.length === 0) return new Map();
  return active.use(async (release) => {
    const rows = await rowsOf(release, "authors", [...new Set(ids)]);
    return new Map([...rows].map(([id, row]) => [id, researcherRow.parse(row)]));
  });
}

/** The version that rows are shown under: the preferred one, where it is published. */
export function shownVersion({ receipt }: Pick<OpenRelease, "receipt">): PublicVersion {
  const published = receipt.rubrics.map(({ version }) => version);
  return PUBLIC_VERSIONS.find((version) => published.includes(version)) ?? PUBLIC_VERSIONS[0];
}

async function rowsOf(
  release: OpenRelease,
  list: "records" | "authors",
  ids: readonly string[],
): Promise<Rows<ShownRow>> {
  const { prepared } = release;
  const version = shownVersion(release);
  const { names, parameters } = bound(ids);
  const found = await prepared.rows(
    `select texts.id, texts.position from ${TABLES.texts(list)} as texts
     join ${TABLES.figures(list, version)} as figures on figures.position = texts.position
     where texts.id in (${names}) order by texts.id`,
    parameters,
  );
  const positions = found.map(([, position]) => Number(position));
  const rows = await showRows(prepared, list, version, positions);
  return new Map(found.flatMap(([id], i) => (rows[i] === undefined ? [] : [[String(id), rows[i]] as const])));
}

/** The records that took the place of those that lost it to another source's. */
async function winnersOf({ prepared }: OpenRelease, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { names, parameters } = bound(ids);
  const rows = await prepared.rows(
    `select alias_id, id from alias where alias_id in (${names}) order by alias_id`,
    parameters,
  );
  return new Map(rows.map(([alias, id]) => [String(alias), String(id)]));
}

function bound(ids: readonly string[]) {
  const parameters = Object.fromEntries(ids.map((id, i) => [`id${i}`, id]));
  return { names: Object.keys(parameters).map((name) => `$${name}`), parameters };
}
