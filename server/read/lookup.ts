/** Looks up the records of a list of identifiers with one query. */

import { hash } from "node:crypto";
import { routeNamed } from "../../api-static/routes/index.ts";
import { CACHE, CSV_TYPE } from "../../api-static/routes/route.ts";
import { doiIn, type IdentifierRejection, identifierKey, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import type { LookedUp, LookupReason, LookupResult } from "../../schemas/public/api/lookup.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { preferredForm } from "../http/content-negotiation.ts";
import { contentResponse, type HttpResponse, jsonResponse } from "../http/response.ts";
import type { Handlers, TypedRequest } from "../http/routes.ts";
import type { ActiveRelease } from "./active-release.ts";
import { csvBody, csvColumns, csvTable, DATASET_COLUMNS } from "./list-response.ts";
import { TABLES } from "./list-tables.ts";
import type { OpenRelease } from "./open-release.ts";
import { requirePublished } from "./pages.ts";
import { readCsvFields, readRows } from "./rows.ts";

export function lookupHandlers(active: ActiveRelease): Handlers<"lookup"> {
  return {
    lookup: (typedRequest, reply) =>
      active.useFor(reply, (open) => lookupResponse(typedRequest, open.for(typedRequest.request))),
  };
}

async function lookupResponse(
  { body, query, request }: TypedRequest<"lookup">,
  release: OpenRelease,
): Promise<HttpResponse> {
  const route = routeNamed("lookup");
  requirePublished(release.receipt, route, query.rubric);
  const data = await lookUp(body.identifiers, query.rubric, release);
  if (preferredForm(request.headers.accept) === "csv") {
    return contentResponse(await csvBody(csvColumns(route.answer), data), CSV_TYPE, CACHE.never);
  }
  const { scoreReleaseVersion, releaseDigest } = release.receipt;
  const page: LookupResult = { data, _meta: { scoreRelease: { scoreReleaseVersion, releaseDigest } } };
  return jsonResponse(page, CACHE.never);
}

/** Returns an entry for each identifier, in the same order. */
export async function lookUp(
  identifiers: readonly string[],
  version: PublicVersion,
  release: Pick<OpenRelease, "engine">,
): Promise<LookedUp[]> {
  const parsed = identifiers.map(readKeys);
  const found = await findKeys(
    parsed.map(({ keys }) => keys),
    release,
  );
  const positions = [...new Set([...found.values()].flatMap(({ position }) => position ?? []))];
  const rows = await readRows(release.engine, "records", version, positions);
  const byPosition = new Map(positions.map((position, i) => [position, rows[i]]));
  return identifiers.map((identifier, place) => {
    const match = found.get(place);
    const row = match?.position === undefined || match.position === null ? undefined : byPosition.get(match.position);
    const record = (row ?? null) as LookedUp["record"];
    if (record !== null) {
      const supersededBy = match?.isAlias === true ? record.id : null;
      return { identifier, reason: null, detail: null, supersededBy, record };
    }
    const { reason, detail } = explainMatch(match, parsed[place]?.rejection ?? null);
    return { identifier, reason, detail, supersededBy: null, record: null };
  });
}

/**
 * Returns the entries as CSV, with the columns of a table of datasets. `getResult` returns the text of the column
 * `result`.
 */
export async function lookedUpCsv(
  entries: readonly LookedUp[],
  version: PublicVersion,
  { engine }: Pick<OpenRelease, "engine">,
  getResult: (entry: LookedUp) => string,
): Promise<Buffer> {
  const ids = [...new Set(entries.flatMap(({ record }) => record?.id ?? []))];
  const places = await engine.rows(
    `select position, id from ${TABLES.texts("records")} where id in (select unnest(string_split($ids, ',')))`,
    { ids: ids.join(",") },
  );
  const fields = await readCsvFields(
    engine,
    version,
    places.map(([position]) => Number(position)),
  );
  const byId = new Map(places.map(([, id], i) => [String(id), fields[i]]));
  const rows = entries.map((entry) => {
    const { identifier, record } = entry;
    return { identifier, result: getResult(entry), ...record, ...(record === null ? null : byId.get(record.id)) };
  });
  return csvTable({ identifier: "identifier", result: "result", ...DATASET_COLUMNS }, rows);
}

const makeRecordId = (identifier: string) => `r${hash("sha256", identifier).slice(0, 24)}`;

interface Keys {
  /** Record ids and DOIs by which the record may be found. */
  readonly keys: readonly string[];
  readonly rejection: IdentifierRejection | null;
}

/**
 * Returns the record ids and the DOI that an identifier can stand for. The identifier may itself be the id of a record.
 */
function readKeys(text: string): Keys {
  const trimmed = text.trim();
  if (/^r[0-9a-f]{24}$/.test(trimmed)) return { keys: [trimmed], rejection: null };
  const identifier = parseIdentifier(text);
  // A rejected identifier can still be that of a payload from which no record was made.
  if (identifier.kind === "rejected") return { keys: [makeRecordId(trimmed)], rejection: identifier };
  const doi = identifier.kind === "doi" ? identifier.doi : doiIn(trimmed);
  const own = identifier.kind === "record" ? [makeRecordId(identifierKey(identifier))] : [];
  return { keys: doi === null ? own : [...own, makeRecordId(`datacite/${doi}`), doi], rejection: null };
}

interface Match {
  /** Position of the record; null if it is not listed. */
  readonly position: number | null;
  readonly isAlias: boolean;
  /** Kind of a payload from which no record was made, for example a withdrawn dataset, and the reason in `why`. */
  readonly kind: string | null;
  readonly why: string | null;
}

/**
 * Returns the best match for each list of keys, by the index of the list. The best match is a record with the id, then
 * an alias, then a record with the DOI, and last a payload from which no record was made.
 */
async function findKeys(
  lists: readonly (readonly string[])[],
  { engine }: Pick<OpenRelease, "engine">,
): Promise<ReadonlyMap<number, Match>> {
  const asked = lists.flatMap((keys, place) => keys.map((key) => [place, key] as const));
  if (asked.length === 0) return new Map();
  const rows = await engine.rows(
    `with asked as (
       select cast(unnest(string_split($places, ',')) as integer) as place, unnest(string_split($keys, chr(10))) as key
     ),
     match as (
       select place, 1 as preference, records.position, false as is_alias, null as kind, null as why
       from asked join ${TABLES.texts("records")} as records on records.id = asked.key
       union all
       select place, 2, alias.position, true, null, null
       from asked join ${TABLES.aliases} as alias on alias.alias_id = asked.key
       union all
       select place, 3, doi.position, false, null, null from asked join ${TABLES.dois} as doi on doi.doi = asked.key
       union all
       select place, 4, null, false, unlisted.kind, unlisted.reason
       from asked join unlisted on unlisted.id = asked.key
     )
     select place, position, is_alias, kind, why from match
     qualify row_number() over (partition by place order by preference, position) = 1`,
    { places: asked.map(([place]) => place).join(","), keys: asked.map(([, key]) => key).join("\n") },
  );
  return new Map(
    rows.map(([place, position, isAlias, kind, why]) => [
      Number(place),
      {
        position: position === null || position === undefined ? null : Number(position),
        isAlias: isAlias === true,
        kind: typeof kind === "string" ? kind : null,
        why: typeof why === "string" ? why : null,
      },
    ]),
  );
}

function explainMatch(
  match: Match | undefined,
  rejection: IdentifierRejection | null,
): { reason: LookupReason; detail: string | null } {
  if (match?.kind === "tombstone") return { reason: "withdrawn", detail: match.why };
  if (match?.kind === "not_dataset") return { reason: "not_dataset", detail: match.why };
  if (rejection !== null) return { reason: rejection.rejection, detail: rejection.reason };
  return { reason: "unknown", detail: null };
}
