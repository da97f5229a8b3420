/** /repositories/{repository}/repairs.csv: facts of its datasets that stand in the wrong place, each with its field. */

import { CACHE, CSV_TYPE } from "../../api-static/routes/route.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { publishedName, RECORD_TABLES } from "../../schemas/public/tables.ts";
import type { Repairable } from "../../web/views/repositories.ts";
import { contentResponse, type HttpResponse } from "../http/response.ts";
import { csvTable } from "../read/list-response.ts";
import type { OpenRelease } from "../read/open-release.ts";
import { asDownload, publicContract } from "./datasets.ts";
import type { ApiClient, SiteContext } from "./page-handler.ts";

/** Rows of one file. */
const MAX_ROWS = 20_000;

const MISPLACED = `from value join record on record.id = value.id
  where record.repository = $repository and value.found_in is not null`;

type Engine = Pick<OpenRelease, "engine" | "receipt">;

/** Returns no datasets for a release without the table of values. */
export async function repairableDatasets({ engine, receipt }: Engine, repository: string): Promise<Repairable> {
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

const COLUMNS = ["identifier", "doi", "title", "signals", "field", "value", "found_in"] as const;

export async function makeRepairs(
  repository: string,
  api: ApiClient,
  { active }: Pick<SiteContext, "active">,
): Promise<HttpResponse> {
  const { rows, receipt } = await api.query(active, async ({ engine, receipt }) => ({
    receipt,
    rows: hasValues(receipt)
      ? await engine.rows(
          `select record.source, record.source_id, record.doi, record.title, value.evidence, value.value, value.found_in
           ${MISPLACED} order by record.source, record.source_id, value.evidence, value.place limit ${MAX_ROWS}`,
          { repository },
        )
      : [],
  }));
  const pledges = await readPledges();
  const { contract, signals } = publicContract(PUBLIC_VERSIONS[0]);
  const lines = rows.flatMap(([source, sourceId, doi, title, evidence, value, foundIn]) => {
    const pledged = pledges.get(String(source))?.contracts[contract] ?? {};
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
