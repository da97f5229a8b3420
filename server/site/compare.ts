/** The handler of /compare, which shows datasets or repositories side by side. */

import { listRepositories } from "../../api-static/pages/metrics.ts";
import { lookupResult } from "../../schemas/public/api/lookup.ts";
import { rubricDescriptor } from "../../schemas/public/api/rubric.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { COMPARED } from "../../schemas/public/site/compared.ts";
import type { View } from "../../web/components/document.ts";
import { REASONS } from "../../web/views/check-list.ts";
import {
  compareDatasetsView,
  compareRepositoriesView,
  compareView,
  tooManyDatasetsView,
  tooManyRepositoriesView,
} from "../../web/views/compare.ts";
import type { TypedRequest } from "../http/routes.ts";
import { countSignals } from "./counts.ts";

import { type ApiClient, type SiteContext, unless } from "./page-handler.ts";

export async function makeComparison(
  { query }: TypedRequest<"compare">,
  version: PublicVersion,
  api: ApiClient,
  context: Pick<SiteContext, "active">,
): Promise<View> {
  const [datasets, repositories] = [filledIn(query.dataset), filledIn(query.repository)];
  const isMixed = datasets.length > 0 && repositories.length > 0;
  if (datasets.length > 0 && !isMixed) return compareDatasets(datasets, version, api);
  if (repositories.length > 0 && !isMixed) return compareRepositories(repositories, version, api, context);
  const metrics = await unless(["no-release", "rubric-not-published"], api.metrics(version));
  const all = metrics === null ? [] : listRepositories(metrics);
  const scored = async (sortOrder: "asc" | "desc") =>
    metrics === null
      ? []
      : (await api.list("records", { sortBy: "score", sortOrder, minScore: "0", limit: "1", rubric: version })).data;
  const [highest = [], lowest = []] = await Promise.all([scored("desc"), scored("asc")]);
  const extremes = new Map([...highest, ...lowest].map((record) => [record.id, record])).values();
  const largest = all.toSorted((one, other) => other.count - one.count).slice(0, COMPARED.least);
  return compareView(
    {
      labels: all.map(({ repository }) => repository).toSorted(),
      datasets: [...extremes],
      repositories: largest.map(({ repository }) => repository),
      isMixed,
    },
    version,
  );
}

function filledIn(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== "");
}

/** Returns the items that were found, each once and in the order of the boxes, and the errors of the other boxes by index. */
function read<Item>(
  found: readonly { readonly item: Item | null; readonly key: string; readonly reason: string }[],
  repeated: string,
) {
  const errors = new Map<number, string>();
  const items = new Map<string, Item>();
  for (const [i, { item, key, reason }] of found.entries()) {
    if (item === null) errors.set(i, reason);
    else if (items.has(key)) errors.set(i, repeated);
    else items.set(key, item);
  }
  return { errors, items: [...items.values()] };
}

async function compareDatasets(typed: readonly string[], version: PublicVersion, api: ApiClient): Promise<View> {
  const query = { rubric: version };
  const { data } = await api.get(lookupResult, "lookup", { query, body: { identifiers: typed } });
  const { errors, items } = read(
    data.map(({ record, reason }) => ({ item: record, key: record?.id ?? "", reason: REASONS[reason ?? "unknown"] })),
    "The same dataset as in a box before",
  );
  if (items.length > COMPARED.most) return tooManyDatasetsView(items, version);
  const found = await Promise.all(items.map(({ id }) => api.record(id, version)));
  return compareDatasetsView({ typed, errors, found }, version);
}

async function compareRepositories(
  typed: readonly string[],
  version: PublicVersion,
  api: ApiClient,
  { active }: Pick<SiteContext, "active">,
): Promise<View> {
  const all = listRepositories(await api.metrics(version));
  const named = (text: string) =>
    all.find(({ repository }) => repository === text) ??
    all.find(({ repository }) => repository.toLowerCase() === text.toLowerCase());
  const { errors, items } = read(
    typed.map((text) => {
      const item = named(text) ?? null;
      return { item, key: item?.repository ?? "", reason: "No repository of the current release has this name" };
    }),
    "The same repository as in a box before",
  );
  if (items.length > COMPARED.most) return tooManyRepositoriesView(items, version);
  const prevalence = await countSignals(active, version);
  const { signals } = await api.get(rubricDescriptor, "rubric", { key: version });
  const labels = all.map(({ repository }) => repository).toSorted();
  return compareRepositoriesView({ typed, errors, found: items, labels, prevalence, signals }, version);
}
