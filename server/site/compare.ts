/** The handler of /compare. */

import { lookupResult } from "../../schemas/public/api/lookup.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { COMPARED } from "../../schemas/public/site/queries.ts";
import type { View } from "../../web/components/document.ts";
import { REASONS } from "../../web/views/check-list.ts";
import { compareView } from "../../web/views/compare.ts";
import type { TypedRequest } from "../http/routes.ts";
import type { ApiClient } from "./page-handler.ts";

/** Names each dataset that is not found beside its box, and compares the others. */
export async function makeComparison({ query }: TypedRequest<"compare">, api: ApiClient): Promise<View> {
  const boxes = COMPARED.map((name) => ({ name, text: query[name].trim() })).filter(({ text }) => text !== "");
  const errors = new Map<string, string>();
  const ids = new Set<string>();
  if (boxes.length > 0) {
    const { data } = await api.get(lookupResult, "lookup", { body: { identifiers: boxes.map(({ text }) => text) } });
    for (const [i, { record, reason }] of data.entries()) {
      const name = boxes[i]?.name ?? "";
      if (record === null) errors.set(name, REASONS[reason ?? "unknown"]);
      else if (ids.has(record.id)) errors.set(name, "The same dataset as in a box before");
      else ids.add(record.id);
    }
  }
  const records = await Promise.all([...ids].map((key) => api.get(recordDetail, "record", { key })));
  return compareView({ typed: query, errors, records });
}
