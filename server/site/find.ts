/** The search box: the page that it opens, suggestions while the user types, and suggestions for a search without results. */

import { listRepositories } from "../../api-static/pages/metrics.ts";
import { CACHE, JSON_TYPE } from "../../api-static/routes/route.ts";
import { parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { readOrcid, readRor } from "../../pipeline/reading/identifiers.ts";
import { publicContract } from "../../pipeline/rubrics/contracts.ts";
import { withoutEnd } from "../../pipeline/vocabularies/ends.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { GUIDES } from "../../schemas/public/site/guides.ts";
import { type Suggestion, suggestions } from "../../schemas/public/site/queries.ts";
import { countText } from "../../web/components/figures.ts";
import { addQuery, type QueryFields } from "../../web/components/navigation.ts";
import { datasetName } from "../../web/components/record-rows.ts";
import { TERMS } from "../../web/components/terms.ts";
import { localPath } from "../../web/languages/paths.ts";
import { english, t } from "../../web/languages/translate.ts";
import type { OrcidFault } from "../../web/views/researchers.ts";
import { contentResponse, type HttpResponse, seeOther } from "../http/response.ts";
import type { TypedRequest } from "../http/routes.ts";
import { TABLES } from "../read/list-tables.ts";
import { completions, namesLike, respelling } from "../read/search.ts";
import { type ApiClient, type SiteContext, unless } from "./page-handler.ts";

/** Longest text that a search uses, in characters. Longer texts are truncated. */
const MAX_TEXT_LENGTH = 512;

/**
 * Redirects from the search box to the page that the text names: a dataset, a person, a signal, an organisation, or results.
 */
export async function find({ query: { q } }: TypedRequest<"find">, api: ApiClient): Promise<HttpResponse> {
  const text = q.trim().slice(0, MAX_TEXT_LENGTH);
  if (text === "") return seeOther("/datasets");
  const orcid = readOrcid(text);
  if (orcid !== null) return toResearcher(orcid, api);
  const signal = SIGNAL_PAGES.find(({ path }) => path === `/signals/${text.toUpperCase()}`);
  if (signal !== undefined) return seeOther(signal.path);
  const ror = readRor(text);
  if (ror !== null) return seeOther(`/organisations/${ror}`);
  if (orcidFault(text) !== null) return seeOther(addQuery("/researchers", { search: text }));
  const bare = withoutPunctuation(text);
  const spellings = [text, `https://${text}`, bare, `https://${bare}`];
  const identifier = spellings.find((each) => parseIdentifier(each).kind !== "rejected");
  if (identifier !== undefined) return toDataset(identifier, api);
  const repository = await repositoryNamed(text, api);
  if (repository !== null) return seeOther(`/repositories/${encodeURIComponent(repository)}`);
  const [funder] = await fundersLike(text, 1, api, false);
  if (funder?.name.toLowerCase() !== text.toLowerCase()) return toSearch(text, api);
  // A university can be an institution as well as a funder.
  const institutions = await countInstitutions(text, api);
  return seeOther(institutions > 0 ? addQuery("/affiliations", { search: text }) : funder.path);
}

/**
 * Matches a text that looks like an ORCID iD, because it has sixteen characters. A text that begins like every ORCID
 * iD, with `000`, may also be shorter or longer.
 */
const FORM_OF_ORCID =
  /^(?:https?:\/\/)?(?:(?:www\.)?orcid\.org\/|orcid:? ?)?((?:\d{4}[- ]?){3}\d{3}[\dX]|000[\d -]{8,20}[\dX])\/?$/i;

/** Returns the mistake in a text that looks like an ORCID iD; null for a valid iD and for other texts. */
export function orcidFault(text: string): OrcidFault | null {
  const [, form] = FORM_OF_ORCID.exec(text.trim()) ?? [];
  if (form === undefined || readOrcid(text) !== null) return null;
  return form.replaceAll(/[- ]/g, "").length === 16 ? "check-digit" : "length";
}

/** Returns the label of the repository that `text` names, in upper or lower case; null if there is none. */
async function repositoryNamed(text: string, api: ApiClient): Promise<string | null> {
  const metrics = await unless(["no-release", "rubric-not-published"], api.metrics());
  const labels = metrics === null ? [] : listRepositories(metrics).map(({ repository }) => repository);
  return labels.find((label) => label.toLowerCase() === text.toLowerCase()) ?? null;
}

async function toResearcher(orcid: string, api: ApiClient): Promise<HttpResponse> {
  const { data } = await api.list("authors", { orcid });
  const [only] = data;
  return seeOther(
    only === undefined ? `/researchers?${new URLSearchParams({ search: orcid })}` : `/researchers/${only.slug}`,
  );
}

/** Redirects to the page of a published dataset, or to the form that checks a dataset. */
async function toDataset(typed: string, api: ApiClient): Promise<HttpResponse> {
  const { id, identifier } = await findPublished(typed, api);
  return seeOther(id === null ? addQuery("/check", { identifier }) : `/datasets/${id}`);
}

/**
 * Finds the published dataset with an identifier, which may be copied from a sentence. If there is none, returns the
 * identifier without the punctuation after it.
 */
export async function findPublished(
  typed: string,
  api: ApiClient,
): Promise<{ readonly id: string | null; readonly identifier: string }> {
  const bare = withoutPunctuation(typed);
  for (const identifier of new Set([typed, bare])) {
    const { data } = await api.list("records", { identifier: identifier.slice(0, MAX_TEXT_LENGTH) });
    const [only] = data;
    if (only !== undefined) return { id: only.id, identifier };
  }
  return { id: null, identifier: bare };
}

/**
 * Removes punctuation from the end of an identifier. Keeps a closing bracket that the text also opens, and does not
 * change texts that are too long for an identifier.
 */
export function withoutPunctuation(text: string): string {
  if (text.length > MAX_TEXT_LENGTH) return text;
  const ended = withoutEnd(text, ".,;");
  return isUnopened(ended, "()") || isUnopened(ended, "[]") ? withoutPunctuation(ended.slice(0, -1)) : ended;
}

/** True for a text that ends with a closing bracket and has more closing than opening ones. */
function isUnopened(text: string, [opening = "", closing = ""]: string): boolean {
  return text.endsWith(closing) && text.split(closing).length > text.split(opening).length;
}

async function toSearch(search: string, api: ApiClient): Promise<HttpResponse> {
  const query = { search, limit: "1" };
  const lists = [
    ["/datasets", () => api.list("records", query)],
    ["/researchers", () => api.list("authors", query)],
    ["/affiliations", async () => ({ pagination: { total: await countInstitutions(search, api) } })],
  ] as const;
  for (const [path, read] of lists) {
    // The name of a country is also in names of institutions, but the user more likely wants the datasets of the country.
    const country = path === "/affiliations" ? await findCountry(search, api) : null;
    if (country !== null) return seeOther(addQuery("/datasets", { countryCode: country }));
    const { pagination } = await read();
    if (pagination.total > 0) return seeOther(addQuery(path, { search }));
  }
  const award = await unless(["attribution-not-published"], api.list("records", { award: search, limit: "1" }));
  if (award !== null && award.pagination.total > 0) return seeOther(addQuery("/datasets", { award: search }));
  return seeOther(addQuery("/datasets", { search }));
}

/** Returns the code of the country with exactly this name; null if no dataset is from such a country. */
async function findCountry(name: string, api: ApiClient): Promise<string | null> {
  const list = await unless(["attribution-not-published"], api.list("geography", {}));
  const wanted = name.trim().toLowerCase();
  return list?.data.find((country) => country.name.toLowerCase() === wanted)?.countryCode ?? null;
}

/** Largest number of suggestions in one group. */
const MAX_SUGGESTIONS = 3;

/** Longest text that gets suggestions, in characters. A longer text was probably pasted. */
const MAX_QUERY_LENGTH = 100;

export async function suggest(
  { query: { q } }: TypedRequest<"suggestions">,
  api: ApiClient,
  { active }: Pick<SiteContext, "active">,
): Promise<HttpResponse> {
  const known = active.release === null ? [] : await suggestionsFor(q, api);
  const found = suggestions.parse(known).map(translateSuggestion);
  return contentResponse(Buffer.from(JSON.stringify(found)), JSON_TYPE, CACHE.person);
}

/** Returns a suggestion in the language of the page. Names of datasets, people and organisations stay as they are. */
function translateSuggestion({ group, name, note, path }: Suggestion) {
  const [, id, signal = ""] = /^([A-Z]\d) (.*)$/.exec(name) ?? [];
  const isPage = group === "Help" || group === "Signals";
  return {
    group: t(group),
    name: group === "Signals" ? `${id} ${t(signal)}` : isPage ? t(name) : name,
    note: isPage ? t(note) : note,
    path: localPath(path),
  };
}

/** Returns the suggestions for a text by group. If there are none, returns searches and names of similar spelling. */
export async function suggestionsFor(q: string, api: ApiClient): Promise<Suggestion[]> {
  const text = q.trim().slice(0, MAX_QUERY_LENGTH);
  if (text.length < 2) return [];
  const found = [
    await datasetsFor(text, api),
    await researchersFor(text, api),
    await repositoriesFor(text, api, false),
    await institutionsFor(text, api),
    await fundersFor(text, api, false),
    await awardsFor(text, api),
    await countriesFor(text, api),
    await pagesFor(text, api, false),
  ].flat();
  if (found.length > 0) return found;
  return [
    await respelledFor(text, api),
    await repositoriesFor(text, api, true),
    await fundersFor(text, api, true),
    await pagesFor(text, api, true),
  ].flat();
}

/** Largest number of suggestions for a list without results. */
const MAX_SIMILAR = 5;

/** Returns the institutions or funders whose names complete `search` or have a similar spelling, for a list without results. */
export async function similarNames(
  list: "institutions" | "funders",
  { search = "", countryCode = "" }: QueryFields,
  api: ApiClient,
): Promise<Suggestion[]> {
  const text = search.trim().slice(0, MAX_QUERY_LENGTH);
  if (text.length < 2) return [];
  const found =
    list === "institutions"
      ? await institutionsFor(text, api, { isSimilar: true, countryCode, limit: MAX_SIMILAR })
      : await fundersFor(text, api, true, MAX_SIMILAR);
  return found.map((each) => ({ ...each, group: "Did you mean" }));
}

/** Returns searches in the most similar spelling that finds datasets, researchers or institutions. */
async function respelledFor(text: string, api: ApiClient): Promise<Suggestion[]> {
  const counts = {
    records: async (search: string) => {
      const { pagination } = await api.list("records", { search, limit: "1" });
      return pagination.total;
    },
    // The results are counted, because a word can be only in names of hidden researchers.
    authors: async (search: string) => {
      const { pagination } = await api.list("authors", { search, limit: "1" });
      return pagination.total;
    },
    institutions: (search: string) => countInstitutions(search, api),
  };
  const lists = [
    { list: "records", path: "/datasets", count: (total: number) => countText(total, "dataset") },
    { list: "authors", path: "/researchers", count: (total: number) => countText(total, "researcher") },
    { list: "institutions", path: "/affiliations", count: (total: number) => countText(total, "institution") },
  ] as const;
  const found: { readonly distance: number; readonly suggestion: Suggestion }[] = [];
  for (const { list, path, count } of lists) {
    const respelled = await api.query(({ engine }) => respelling(engine, list, text));
    if (respelled === null) continue;
    const { words: name, distance } = respelled;
    const total = await counts[list](name);
    const note = count(total);
    if (total > 0)
      found.push({
        distance,
        suggestion: { group: "Did you mean", name, note, path: addQuery(path, { search: name }) },
      });
  }
  const least = Math.min(...found.map(({ distance }) => distance));
  return found.filter(({ distance }) => distance === least).map(({ suggestion }) => suggestion);
}

async function datasetsFor(text: string, api: ApiClient): Promise<Suggestion[]> {
  const searches = await api.query(({ engine }) => completions(engine, "records", text));
  return findFirst(searches, MAX_SUGGESTIONS, async (search) => {
    const { data } = await api.list("records", { search, limit: String(MAX_SUGGESTIONS) });
    return data.map((row) => ({
      group: "Datasets",
      name: datasetName(row),
      note: joinNotes(row.repository, row.doi, row.score === null ? null : t`${row.score.total} of ${row.cap ?? 100}`),
      path: `/datasets/${row.id}`,
    }));
  });
}

async function researchersFor(text: string, api: ApiClient): Promise<Suggestion[]> {
  const searches = await api.query(({ engine }) => completions(engine, "authors", text));
  return findFirst(searches, MAX_SUGGESTIONS, async (search) => {
    const { data } = await api.list("authors", { search, limit: String(MAX_SUGGESTIONS) });
    return data.map(({ slug, name, affiliation, orcid }) => ({
      group: "Researchers",
      name,
      note: joinNotes(orcid, affiliation),
      path: `/researchers/${slug}`,
    }));
  });
}

/**
 * Returns repositories whose label has words that begin like the words of `text`, or are similar if `isSimilar`. Those
 * with the most datasets come first.
 */
async function repositoriesFor(text: string, api: ApiClient, isSimilar: boolean): Promise<Suggestion[]> {
  const metrics = await unless(["rubric-not-published"], api.metrics());
  const all = metrics === null ? [] : listRepositories(metrics);
  const found = await filterLike(all, ({ repository }) => repository, { text, isSimilar, api });
  return found
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ repository, count }) => ({
      group: "Repositories",
      name: repository,
      note: countText(count, "dataset"),
      path: `/repositories/${encodeURIComponent(repository)}`,
    }));
}

interface Likeness {
  readonly text: string;
  /** True if words of similar spelling count too. */
  readonly isSimilar: boolean;
  readonly api: ApiClient;
}

/**
 * Returns the items of a short list that match `text`. In an item that matches, each word of the text is the beginning
 * of a word, or similar to a word if `isSimilar`.
 */
async function filterLike<Item>(
  all: readonly Item[],
  readWords: (item: Item) => string,
  { text, isSimilar, api }: Likeness,
): Promise<Item[]> {
  const names = all.map(readWords).join("\n");
  const rows = await api.query(({ engine }) => {
    const { sql, parameters } = namesLike("select unnest(string_split($names, '\n')) as name", text, isSimilar);
    return engine.rows(`select name from (${sql})`, { ...parameters, names });
  });
  const found = new Set(rows.map(([name]) => String(name)));
  return all.filter((item) => found.has(readWords(item)));
}

/** Returns a suggestion for the award with exactly this number; an empty list if no dataset states it. */
async function awardsFor(text: string, api: ApiClient): Promise<Suggestion[]> {
  const list = await unless(["attribution-not-published"], api.list("records", { award: text, limit: "1" }));
  const total = list?.pagination.total ?? 0;
  const path = addQuery("/datasets", { award: text });
  return total === 0 ? [] : [{ group: "Awards", name: text, note: countText(total, "dataset"), path }];
}

async function countriesFor(text: string, api: ApiClient): Promise<Suggestion[]> {
  const list = await unless(["attribution-not-published"], api.list("geography", {}));
  const found = await filterLike(list?.data ?? [], ({ name }) => name, { text, isSimilar: false, api });
  return found.slice(0, MAX_SUGGESTIONS).map(({ countryCode, name, recordCount }) => ({
    group: "Countries",
    name,
    note: countText(recordCount, "dataset"),
    path: addQuery("/datasets", { countryCode }),
  }));
}

/** A page of a signal or of the help, with the words by which it is found. */
interface ScorePage extends Suggestion {
  readonly words: string;
}

const HELP: readonly ScorePage[] = [
  { name: english("Check a dataset or a draft"), words: "check draft score evaluate test", note: "", path: "/check" },
  {
    name: english("Badges"),
    words: "badge button widget image readme",
    note: english("for a README or a website"),
    path: "/help#show-a-badge",
  },
  ...Object.entries(GUIDES).map(([name, { title, about }]) => ({
    name: title,
    words: title,
    note: about,
    path: `/guides/${name}`,
  })),
  ...Object.entries(TERMS).map(([id, { name, meaning }]) => ({
    name,
    words: name,
    note: meaning,
    path: `/help#${id}`,
  })),
  {
    name: "Releases and downloads",
    words: "release download csv parquet database archive",
    note: "",
    path: "/history",
  },
  { name: "API for programs", words: "api program developer key json", note: "", path: "/docs" },
  { name: "Countries", words: "countries country map", note: "", path: "/countries" },
  { name: "Funders", words: "funders grants", note: "", path: "/funders" },
  { name: "Institutions", words: "institutions universities affiliations", note: "", path: "/affiliations" },
  {
    name: "Privacy",
    words: "privacy personal data hide hidden me remove erase name",
    note: "how to be hidden",
    path: "/privacy",
  },
  { name: "Report a problem", words: "report problem error wrong contact", note: "", path: "/report" },
].map((page) => ({ ...page, group: "Help" as const }));

const SIGNAL_PAGES: readonly ScorePage[] = publicContract(PUBLIC_VERSIONS[0]).signals.map(({ id, name, question }) => ({
  group: "Signals",
  name: `${id} ${name}`,
  words: `${id} ${name} ${question}`,
  note: question,
  path: `/signals/${id}`,
}));

/** Returns pages of signals and of the help. Hyphens are ignored here, so that "S-In" finds the S-Index. */
async function pagesFor(text: string, api: ApiClient, isSimilar: boolean): Promise<Suggestion[]> {
  const withoutHyphens = (words: string) => words.replaceAll("-", "");
  const likeness = { text: withoutHyphens(text), isSimilar, api };
  const found = await filterLike([...SIGNAL_PAGES, ...HELP], ({ words }) => withoutHyphens(words), likeness);
  return ["Signals", "Help"].flatMap((group) =>
    found
      .filter((page) => page.group === group)
      .slice(0, MAX_SUGGESTIONS)
      .map(({ words: _, ...page }) => page),
  );
}

async function countInstitutions(search: string, api: ApiClient): Promise<number> {
  const list = await unless(
    ["attribution-not-published"],
    api.list("institutions", { search: search.slice(0, 240), limit: "1" }),
  );
  return list?.pagination.total ?? 0;
}

/**
 * Returns institutions whose names complete `text`, those with the most datasets first; if `isSimilar`, also those of
 * the most similar spelling. A suggestion opens exactly the datasets that its note counts.
 */
async function institutionsFor(
  text: string,
  api: ApiClient,
  { isSimilar = false, countryCode = "", limit = MAX_SUGGESTIONS } = {},
): Promise<Suggestion[]> {
  const searches = await api.query(async ({ engine }) => {
    const respelled = isSimilar ? await respelling(engine, "institutions", text) : null;
    return [...(await completions(engine, "institutions", text)), ...(respelled === null ? [] : [respelled.words])];
  });
  return findFirst(searches, limit, async (search) => {
    const query = { search, countryCode, sortBy: "recordCount", sortOrder: "desc", limit: String(limit) };
    const list = await unless(["attribution-not-published"], api.list("institutions", query));
    return (list?.data ?? []).map(({ id, label, recordCount }) => ({
      group: "Institutions",
      name: label,
      note: countText(recordCount, "dataset"),
      path: addQuery("/datasets", { institution: id }),
    }));
  });
}

async function fundersFor(
  text: string,
  api: ApiClient,
  isSimilar: boolean,
  limit = MAX_SUGGESTIONS,
): Promise<Suggestion[]> {
  const funders = await fundersLike(text, limit, api, isSimilar);
  return funders.map(({ name, datasets, path }) => ({
    group: "Funders",
    name,
    note: countText(datasets, "dataset"),
    path,
  }));
}

/**
 * Returns funders whose name has words that begin like the words of `text`, or are similar if `isSimilar`. A funder
 * with exactly this name is first, then those with the most datasets.
 */
function fundersLike(text: string, limit: number, api: ApiClient, isSimilar: boolean) {
  return api.query(async ({ engine }) => {
    // Releases before format 3 do not have the table.
    if (!engine.hasJoinTables) return [];
    const { sql, parameters } = namesLike(`select name from ${TABLES.funderNames}`, text, isSimilar);
    const rows = await engine.rows(
      `select name, datasets from (${sql}) as named join ${TABLES.funderNames} using (name)
       order by lower(name) = lower($text) desc, datasets desc, name limit ${limit}`,
      parameters,
    );
    return rows.map(([funder, datasets]) => ({
      name: String(funder),
      datasets: Number(datasets),
      path: `/funders/${encodeURIComponent(String(funder))}`,
    }));
  });
}

const joinNotes = (...parts: readonly (string | null)[]) =>
  parts.filter((part) => part !== null && part !== "").join(" · ");

/** Returns the first results of several searches, at most `limit` and without duplicates. */
async function findFirst(
  searches: readonly string[],
  limit: number,
  find: (search: string) => Promise<Suggestion[]>,
): Promise<Suggestion[]> {
  const found = new Map<string, Suggestion>();
  for (const search of searches) {
    if (found.size >= limit) break;
    for (const each of await find(search)) if (!found.has(each.path)) found.set(each.path, each);
  }
  return [...found.values()].slice(0, limit);
}
