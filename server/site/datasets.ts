/** Handlers of /datasets, as a view and as CSV, and of /datasets/{id}. */

import { listRepositories } from "../../api-static/pages/metrics.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { CACHE, LINKSET_TYPE } from "../../api-static/routes/route.ts";
import { listImprovements } from "../../pipeline/evaluate/evaluation.ts";
import { sourceNames } from "../../pipeline/sources/pledges.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { FACET_NAMES, SPELT_FILTERS } from "../../schemas/public/api/lists.ts";
import { recordListQuery } from "../../schemas/public/api/queries.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS, type PublicVersion, type Rubric } from "../../schemas/public/rubric.ts";
import type { PastScore } from "../../schemas/public/site/queries.ts";
import { sumBuckets } from "../../web/components/bucket-profile.ts";
import type { View } from "../../web/components/document.ts";
import { addQuery } from "../../web/components/navigation.ts";
import type { RepositoryStanding } from "../../web/components/score.ts";
import { datasetView, leftView } from "../../web/views/dataset.ts";
import { chooseOrder, DATASETS_FIELDS, datasetsView, rejectedDatasetsView } from "../../web/views/datasets.ts";
import { buildLinkset } from "../../web/views/linked-data.ts";
import { contentResponse, type HttpResponse, ProblemError, seeOther } from "../http/response.ts";
import { PageRequest, type ReplyHeaders, type TypedRequest } from "../http/routes.ts";
import { queryFacets } from "../read/facets.ts";
import { withoutHiddenAuthor } from "../read/list-response.ts";
import { readerVersion } from "../read/open-release.ts";
import { DatasetLeft } from "../read/other-releases.ts";
import { streamList } from "../read/pages.ts";
import { withCountryCode, withCountryError } from "./country-field.ts";
import { countSignals } from "./counts.ts";
import { suggestionsFor } from "./find.ts";
import { readInstitution } from "./institutions-and-funders.ts";
import {
  type ApiClient,
  ApiRedirect,
  errorsIn,
  orShowForm,
  type SiteContext,
  unless,
  type ViewOrResponse,
} from "./page-handler.ts";

/** Number of datasets that one view lists. */
const ROWS = "20";

/**
 * Returns the query of the API for the fields of the form. Facets count all spellings of a value together, so the list
 * must show the datasets of all spellings too.
 */
function buildQuery(formFields: Readonly<Record<string, string>>): Record<string, string> {
  const { order: _order, sortBy = "", ...fields } = formFields;
  const filters = filledIn(fields);
  const spellings = SPELT_FILTERS.some((name) => name in filters) ? { spellings: "all" } : {};
  return {
    limit: ROWS,
    ...spellings,
    ...filters,
    ...(sortBy === "" ? splitOrder(chooseOrder(formFields)) : { sortBy }),
  };
}

/** Splits an order such as `score desc` into the parameters of the API, which checks them. */
export function splitOrder(order: string): { readonly sortBy: string; readonly sortOrder: string } {
  const [sortBy = "", sortOrder = ""] = order.split(" ");
  return { sortBy, sortOrder };
}

function filledIn(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

/** Pairs of fields of which the first must not be above the second. */
const BOUNDS = [
  { lower: "minScore", upper: "maxScore", isAbove: (one: string, other: string) => Number(one) > Number(other) },
  // If the upper bound is a year or a month, it includes all days in it.
  {
    lower: "publishedFrom",
    upper: "publishedUntil",
    isAbove: (one: string, other: string) => one.slice(0, other.length) > other,
  },
] as const;

/**
 * Rejects a lower bound, of the score or of the date of publication, that is above its upper bound.
 * @throws ProblemError `invalid-parameter`
 */
function rejectEmptyBounds(fields: Readonly<Record<string, string>>): void {
  const errors = BOUNDS.flatMap(({ lower, upper, isAbove }) => {
    const [from = "", to = ""] = [fields[lower], fields[upper]];
    const isWrong = from !== "" && to !== "" && isAbove(from, to);
    return isWrong ? [{ path: lower, message: `must not be above ${to}, the upper bound` }] : [];
  });
  if (errors.length > 0) {
    throw new ProblemError(
      "invalid-parameter",
      "A lower bound is above its upper bound. Lower it, or raise the upper bound.",
      { errors },
    );
  }
}

export async function makeDatasets(
  { query: { q = "", valuesOf, valuesWith, ...sent }, request }: TypedRequest<"datasets">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const { search: words = "" } = sent;
  if (q !== "") return seeOther(addQuery("/datasets", { ...sent, search: words === "" ? q : words }));
  const formFields = withCountryCode(sent);
  const query = buildQuery(formFields);
  const filters = filledIn(formFields);
  const repositories = async () => {
    const metrics = await api.metrics();
    return listRepositories(metrics)
      .map(({ repository }) => repository)
      .toSorted();
  };
  const work = async () => {
    const { data, pagination } = await api.list("records", query);
    rejectEmptyBounds(filters);
    const institution = await readInstitution(filters.institution, api);
    const { search = "" } = filters;
    const suggested = pagination.total > 0 ? [] : await suggestionsFor(search, api);
    const parsed = withoutHiddenAuthor(recordListQuery.parse(query), context.standings.current);
    const facet = FACET_NAMES.find((name) => name === valuesOf);
    const valueSearch = facet === undefined || !valuesWith ? null : { facet, words: valuesWith };
    return datasetsView({
      filters,
      query,
      data,
      pagination,
      repositories: await repositories(),
      facets: await context.active.use((open) => queryFacets(open.for(request).engine, parsed, valueSearch)),
      names: {
        ...(await findNames(filters, data, api)),
        ...(institution === null ? {} : { institution: institution.label }),
      },
      signals: new Map((await api.contract(parsed.rubric)).signals.map(({ id, name }) => [id, name])),
      statedRor: institution?.ror ?? null,
      suggested,
    });
  };
  const again = async (problem: Problem) => {
    const errors = errorsIn(DATASETS_FIELDS, problem);
    if (errors === null) return null;
    return rejectedDatasetsView({
      filters,
      errors: withCountryError(errors, filters),
      repositories: await repositories(),
    });
  };
  return orShowForm(work, again, request, context);
}

/**
 * Returns the names of chosen values by filter, for example `Norway` for the code `NOR`. The facets do not have all of
 * these names, because they list only the most frequent values.
 */
async function findNames(
  { countryCode = "", source = "", author = "" }: Readonly<Record<string, string>>,
  data: readonly Pick<RecordDetail, "id">[],
  api: ApiClient,
): Promise<Record<string, string>> {
  const [first] = data;
  const names: Record<string, string> = {};
  if (countryCode !== "") {
    const { countries } = loadVocabularies();
    names.countryCode = countries.findName(countryCode.toUpperCase()) ?? countryCode;
  }
  if (source !== "") names.source = sourceNames().get(source) ?? source;
  // The researcher's name is among the authors of each of their datasets, so the first dataset suffices.
  if (author !== "" && first !== undefined) {
    const record = await unless(["rubric-not-published"], api.record(first.id, PUBLIC_VERSIONS[0]));
    names.author = record?.authors.find(({ id }) => id === author)?.name ?? author;
  }
  return names;
}

/** Streams the complete list of a view as CSV, with the state of each signal. */
export async function makeDatasetsCsv(
  { query: formFields, request }: TypedRequest<"datasets-csv">,
  reply: ReplyHeaders,
  { active, standings, streams }: Pick<SiteContext, "active" | "standings" | "streams">,
): Promise<HttpResponse> {
  const { page: _page, limit: _limit, ...parameters } = buildQuery(formFields);
  const query = new URLSearchParams(parameters).toString();
  const listRequest = new PageRequest(routeNamed("records"), { ...request, query });
  return active.useFor(reply, async (open) => {
    const response = await streamList(listRequest, "csv", open, standings.current, { active, streams });
    const { repository, funder, ror } = parameters;
    return asDownload(response, open.receipt, repository ?? funder ?? ror ?? "datasets");
  });
}

/**
 * Returns the response as a file to download, for example `share-2026.11.01-Zenodo.csv`. The name has the version of
 * the release, and the letters and digits of `about`.
 */
export function asDownload(
  response: HttpResponse,
  { scoreReleaseVersion }: Pick<Receipt, "scoreReleaseVersion">,
  about: string,
  extension = "csv",
): HttpResponse {
  const name = about
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, MAX_NAME_LENGTH);
  const disposition = `attachment; filename="share-${scoreReleaseVersion}-${name || "datasets"}.${extension}"`;
  return { ...response, headers: { ...response.headers, "content-disposition": disposition } };
}

/** Longest part of a file name, in characters, that comes from a text such as the label of a repository. */
const MAX_NAME_LENGTH = 60;

/** Returns the question of each signal by the id of the signal. */
export function listQuestions({ signals }: Rubric): ReadonlyMap<string, string> {
  return new Map(signals.map(({ id, question }) => [id, question]));
}

/** Returns the name of each source by its key, for example `Zenodo` for `zenodo`. */
export async function makeDataset(
  { key, version }: { readonly key: string; readonly version: PublicVersion },
  api: ApiClient,
  { signIn, active, past }: Pick<SiteContext, "signIn" | "active" | "past">,
): Promise<View> {
  const record = await api.record(key, version).catch((error: unknown) => {
    if (error instanceof DatasetLeft) return error;
    throw error;
  });
  if (record instanceof DatasetLeft) return leftView(record.reason, record.last);
  const otherVersion = PUBLIC_VERSIONS.find((each) => each !== version);
  const other =
    otherVersion === undefined ? null : await unless(["rubric-not-published"], api.record(key, otherVersion));
  return datasetView({
    record,
    version,
    source: sourceNames().get(record.source.name) ?? record.source.name,
    licence: await licenceAddress(record),
    other: other === null || otherVersion === undefined ? null : { version: otherVersion, record: other },
    standing: await compareWithRepository(record, version, api, { active }),
    perfect: record.score?.total === 100 ? ((await api.metrics(version)).totalDistribution[100] ?? null) : null,
    needed: active.release?.receipt.policy?.leastEvaluable ?? null,
    steps: record.scoreStatus === "failed" ? [] : listImprovements(record),
    questions: listQuestions(await api.contract(version)),
    history: await readScoreHistory(record, version, { active, past }),
    origin: signIn.site.origin,
  });
}

/** With fewer scored datasets than this, a comparison with the repository says little. */
const MIN_COMPARED = 10;

/**
 * Returns the scores of the dataset's repository, to compare the dataset with. Null if the dataset has no score or no
 * repository, or if the repository has fewer than MIN_COMPARED scored datasets.
 */
async function compareWithRepository(
  { score, repository }: RecordDetail,
  version: PublicVersion,
  api: ApiClient,
  { active }: Pick<SiteContext, "active">,
): Promise<RepositoryStanding | null> {
  const receipt = active.release?.receipt;
  if (score === null || repository === null || receipt === undefined) return null;
  const figures = listRepositories(await api.metrics(version)).find((each) => each.repository === repository);
  if (figures === undefined || figures.meanScore === null || figures.scoredCount < MIN_COMPARED) return null;
  const { scoredCount, meanScore, totalDistribution } = figures;
  const prevalence = await countSignals(active, version);
  const buckets = sumBuckets(prevalence.filter((each) => each.repository === repository));
  return { repository, scored: scoredCount, totals: totalDistribution, mean: meanScore, buckets };
}

export async function makeLinkset(
  key: string,
  api: ApiClient,
  { signIn }: Pick<SiteContext, "signIn">,
): Promise<HttpResponse> {
  const record = await currentRecord(key, api);
  const set = buildLinkset(record, await licenceAddress(record), signIn.site.origin);
  return contentResponse(Buffer.from(JSON.stringify(set)), LINKSET_TYPE, CACHE.person);
}

/** Returns the URL at SPDX of the record's licence; null if SPDX does not list the licence. */
async function licenceAddress({ license }: RecordDetail): Promise<string | null> {
  const { licences } = loadVocabularies();
  const licence = license === null ? "" : licences.resolve([license]);
  return licence === "" ? null : `https://spdx.org/licenses/${licence}`;
}

/** Returns the scores of a dataset in earlier releases, the oldest first, and then the score in the active release. */
async function readScoreHistory(
  record: RecordDetail,
  version: PublicVersion,
  { active, past }: Pick<SiteContext, "active" | "past">,
): Promise<PastScore[]> {
  const receipt = active.release?.receipt;
  if (receipt === undefined) return [];
  const { scoreReleaseVersion, releaseDigest, asOf, rubrics } = receipt;
  const contract = rubrics.find((each) => each.version === version)?.contract ?? "";
  const now = {
    scoreReleaseVersion,
    releaseDigest,
    asOf,
    contract,
    total: record.score?.total ?? null,
    cap: record.cap,
    source: record.source.name,
    reader: readerVersion(receipt, record.source),
  };
  return [...(await past.readScores(record, version, releaseDigest)), now];
}

/** Returns a record under the current version. If another record supersedes it, returns that record. */
function currentRecord(key: string, api: ApiClient): Promise<RecordDetail> {
  const get = (id: string) => api.record(id, PUBLIC_VERSIONS[0]);
  return get(key).catch((error: unknown) => {
    if (error instanceof ApiRedirect) return get(error.key);
    throw error;
  });
}
