/** Finds researchers and records of the active release for account data. */

import { slugKey } from "../../api-static/routes/route.ts";
import { idOfOrcid, readIdRange } from "../../pipeline/parse-identifier.ts";
import { type RecordRow, recordRow } from "../../schemas/public/api/record.ts";
import { type ResearcherRow, researcherRow, slug as slugSchema } from "../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import type { ProblemError } from "../http/response.ts";
import { unknownKey } from "../http/routes.ts";
import type { ActiveRelease } from "../read/active-release.ts";
import { TABLES } from "../read/list-tables.ts";
import type { OpenRelease } from "../read/open-release.ts";
import { type ListRows, readRows } from "../read/rows.ts";
import type { Accounts } from "./database.ts";

export interface FoundResearcher {
  readonly id: string;
  /** The current slug. The researcher is also found by earlier slugs, as under /authors. */
  readonly slug: string;
}

/** Largest number of IDs in one statement, because a dataset may have thousands of creators. */
const MAX_AT_ONCE = 500;

interface ResearcherServices {
  readonly accounts: Accounts;
  readonly active: ActiveRelease;
}

/**
 * Finds a researcher of the active release by the slug of their page.
 * @throws ProblemError `researcher-not-found`, also for a hidden researcher; `no-release`
 */
export async function findResearcher(slug: string, { accounts, active }: ResearcherServices): Promise<FoundResearcher> {
  const found = await findListed(slug, active);
  if (found === null || (await hiddenAmong(accounts.db, [found.id])).has(found.id)) throw researcherNotFound();
  return found;
}

/**
 * Finds a researcher to claim. The owner of the ORCID iD also finds a hidden profile, even if the release omits it,
 * because otherwise hiding could not be undone.
 */
export async function findClaimable(
  slug: string,
  orcid: string | null,
  context: ResearcherServices,
): Promise<FoundResearcher> {
  const own = orcid === null ? null : idOfOrcid(orcid);
  if (own !== null && readIdRange(slug)?.from === own) {
    const hidden = await context.accounts.db
      .selectFrom("hidden_researcher")
      .select("slug")
      .where("researcher_id", "=", own)
      .executeTakeFirst();
    if (hidden !== undefined) return { id: own, slug: hidden.slug };
  }
  return findResearcher(slug, context);
}

/** Finds a researcher, hidden or not. Null if the active release has no researcher with the slug. */
export function findListed(slug: string, active: ActiveRelease): Promise<FoundResearcher | null> {
  return active.use(async (release) => {
    const version = shownVersion(release);
    if (!slugSchema.safeParse(slug).success) return null;
    const right = await release.lookups.slugLike(slug, version);
    const id = right === null ? null : await release.lookups.researcherId(right, version);
    return right === null || id === null ? null : { id, slug: right };
  });
}

export async function hiddenAmong(db: Accounts["db"], ids: readonly string[]): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for (let first = 0; first < ids.length; first += MAX_AT_ONCE) {
    const rows = await db
      .selectFrom("hidden_researcher")
      .select("researcher_id")
      .where("researcher_id", "in", ids.slice(first, first + MAX_AT_ONCE))
      .execute();
    for (const { researcher_id: id } of rows) hidden.add(id);
  }
  return hidden;
}

/** Returns the problem of GET /authors/{slug} for an unknown researcher. */
export function researcherNotFound(): ProblemError {
  return unknownKey(slugKey);
}

type Rows<Row> = ReadonlyMap<string, Row>;

/**
 * Returns the rows of records by the IDs that were asked for. For an alias, the row is that of the record that
 * superseded it. IDs that the release does not list are left out; without an active release, the result is empty.
 */
export async function recordRows(active: ActiveRelease, ids: readonly string[]): Promise<Rows<RecordRow>> {
  if (active.digest === null || ids.length === 0) return new Map();
  return active.use(async (release) => {
    const winners = await findWinners(release, ids);
    const rows = await readRowsById(release, "records", [...new Set([...ids, ...winners.values()])]);
    const found = ids.flatMap((id) => {
      const row = rows.get(id) ?? rows.get(winners.get(id) ?? "");
      return row === undefined ? [] : [[id, recordRow.parse(row)] as const];
    });
    return new Map(found);
  });
}

export async function researcherRows(active: ActiveRelease, ids: readonly string[]): Promise<Rows<ResearcherRow>> {
  if (active.digest === null || ids.length === 0) return new Map();
  return active.use(async (release) => {
    const rows = await readRowsById(release, "authors", [...new Set(ids)]);
    return new Map([...rows].map(([id, row]) => [id, researcherRow.parse(row)]));
  });
}

function shownVersion({ receipt }: Pick<OpenRelease, "receipt">): PublicVersion {
  const published = receipt.rubrics.map(({ version }) => version);
  return PUBLIC_VERSIONS.find((version) => published.includes(version)) ?? PUBLIC_VERSIONS[0];
}

async function readRowsById<Name extends "records" | "authors">(
  release: OpenRelease,
  list: Name,
  ids: readonly string[],
): Promise<Rows<ListRows[Name]>> {
  const { engine } = release;
  const version = shownVersion(release);
  const { names, parameters } = boundIds(ids);
  const found = await engine.rows(
    `select texts.id, texts.position from ${TABLES.texts(list)} as texts
     join ${TABLES.listed(list, version)} as listed on listed.position = texts.position
     where texts.id in (${names}) order by texts.id`,
    parameters,
  );
  const positions = found.map(([, position]) => Number(position));
  const rows = await readRows(engine, list, version, positions);
  return new Map(found.flatMap(([id], i) => (rows[i] === undefined ? [] : [[String(id), rows[i]] as const])));
}

async function findWinners({ engine }: OpenRelease, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { names, parameters } = boundIds(ids);
  const rows = await engine.rows(
    `select alias_id, id from alias where alias_id in (${names}) order by alias_id`,
    parameters,
  );
  return new Map(rows.map(([alias, id]) => [String(alias), String(id)]));
}

function boundIds(ids: readonly string[]) {
  const parameters = Object.fromEntries(ids.map((id, i) => [`id${i}`, id]));
  return { names: Object.keys(parameters).map((name) => `$${name}`), parameters };
}
