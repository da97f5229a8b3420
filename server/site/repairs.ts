/**
 * /repositories/{repository}/repairs.csv and updates.jsonl: facts that a repository's datasets have in the wrong field. The
 * first file lists them for people, and the second has updates of the metadata.
 */

import { CACHE, CSV_TYPE, NDJSON_TYPE } from "../../api-static/routes/route.ts";
import type { FoundValue } from "../../pipeline/reading/found-elsewhere.ts";
import { listAdditions } from "../../pipeline/repair/index.ts";
import { publicContract } from "../../pipeline/rubrics/contracts.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { publishedName, RECORD_TABLES } from "../../schemas/public/tables.ts";
import { MAX_REPAIRED, type RepairableCount } from "../../web/views/repositories.ts";
import { contentResponse, type HttpResponse } from "../http/response.ts";
import { csvTable } from "../read/list-response.ts";
import type { OpenRelease } from "../read/open-release.ts";
import { asDownload } from "./datasets.ts";
import type { ApiClient } from "./page-handler.ts";

const MISPLACED = `from value join record on record.id = value.id
  where record.repository = $repository and value.found_in is not null`;

type ReleaseEngine = Pick<OpenRelease, "engine" | "receipt">;

/** Counts the datasets whose facts can be moved to the right field; zero for a release without the table of values. */
export async function repairableDatasets(
  { engine, receipt }: ReleaseEngine,
  repository: string,
): Promise<RepairableCount> {
  if (!hasValues(receipt)) return { datasets: 0, byEvidence: [] };
  const rows = await engine.rows(
    `select value.evidence, cast(count(distinct value.id) as integer) as datasets ${MISPLACED}
     group by grouping sets ((), (value.evidence)) order by value.evidence nulls first`,
    { repository },
  );
  const [all, ...each] = rows.map(([evidence, datasets]) => ({
    evidence: String(evidence),
    datasets: Number(datasets),
  }));
  const byEvidence = each.toSorted((one, other) => other.datasets - one.datasets);
  return { datasets: all?.datasets ?? 0, byEvidence };
}

function hasValues({ content }: OpenRelease["receipt"]): boolean {
  return Object.hasOwn(content.tables, publishedName(RECORD_TABLES.value));
}

/** A fact in the wrong field, with its dataset. */
interface Misplaced extends FoundValue {
  readonly source: string;
  readonly sourceId: string;
  readonly doi: string | null;
  readonly title: string | null;
}

/**
 * Returns the misplaced facts of the first `limit` datasets of a repository, sorted by dataset. Returns none for a
 * release without the table of values.
 */
export async function readMisplaced(
  repository: string,
  { engine, receipt }: ReleaseEngine,
  limit: number = MAX_REPAIRED,
): Promise<{ readonly receipt: OpenRelease["receipt"]; readonly facts: readonly Misplaced[] }> {
  if (!hasValues(receipt)) return { receipt, facts: [] };
  const rows = await engine.rows(
    `select record.source, record.source_id, record.doi, record.title, value.evidence, value.value, value.found_in
     ${MISPLACED}
     qualify dense_rank() over (order by record.source, record.source_id) <= $limit
     order by record.source, record.source_id, value.evidence, value.place`,
    { repository, limit },
  );
  const facts = rows.map(([source, sourceId, doi, title, evidence, value, foundIn]) => ({
    ...{ source: String(source), sourceId: String(sourceId) },
    doi: doi === null ? null : String(doi),
    title: title === null ? null : String(title),
    ...{ evidence: String(evidence) as EvidenceName, value: String(value), foundIn: String(foundIn) },
  }));
  return { receipt, facts };
}

const COLUMNS = ["identifier", "doi", "title", "signals", "field", "value", "found_in"] as const;

/** Makes the table of facts, each with the field in which it would count. */
export async function makeRepairs(repository: string, api: ApiClient): Promise<HttpResponse> {
  const { receipt, facts } = await api.query((release) => readMisplaced(repository, release));
  const pledges = readPledges();
  const { contract, signals } = publicContract(PUBLIC_VERSIONS[0]);
  const lines = facts.flatMap(({ source, sourceId, doi, title, evidence, value, foundIn }) => {
    const pledged = pledges.get(source)?.contracts[contract] ?? {};
    const supported = signals.flatMap(({ id, needs }) => {
      const signal = needs.some((column) => column === evidence) ? pledged[id] : undefined;
      return signal?.supported === true ? [{ id, field: signal.field }] : [];
    });
    const [first] = supported;
    if (first === undefined) return [];
    const ids = supported.map(({ id }) => id).join(" ");
    const dataset = { identifier: `${source}/${sourceId}`, doi, title };
    return [{ ...dataset, signals: ids, field: first.field, value, found_in: foundIn }];
  });
  const body = await csvTable(Object.fromEntries(COLUMNS.map((column) => [column, column])), lines);
  return asDownload(contentResponse(body, CSV_TYPE, CACHE.page), receipt, `${repository} repairs`);
}

/**
 * Makes a file with one update on each line: the entries to add to the metadata of one dataset. A release does not have
 * the complete metadata, so a line also lists the facts that it cannot add (`leftOver`). `share-release fix
 * --repository` writes complete updates from the harvested records.
 */
export async function makeUpdates(repository: string, api: ApiClient): Promise<HttpResponse> {
  const { receipt, facts } = await api.query((release) => readMisplaced(repository, release));
  const datasets = Map.groupBy(facts, ({ source, sourceId }) => `${source}/${sourceId}`);
  const lines = [...datasets].flatMap(([identifier, values]) => {
    const [{ source, doi } = { source: "", doi: null }] = values;
    const additions = listAdditions(source, values);
    if (additions === null || additions.changes.length === 0) return [];
    const { format, changes, leftOver } = additions;
    return [`${JSON.stringify({ identifier, doi, format: format.name, changes, leftOver })}\n`];
  });
  const body = contentResponse(Buffer.from(lines.join("")), NDJSON_TYPE, CACHE.page);
  return asDownload(body, receipt, `${repository} updates`, "jsonl");
}
