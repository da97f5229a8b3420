/**
 * Evaluates lists in memory in the simplest way: filter all rows, sort them, and take one page. The rules are in decisions.md.
 */

import { byCodePoint } from "../conformance/sorting.ts";
import { type Cell, type Plain, type PlainRecord, popcount, type Tables } from "./tables.ts";

/** Letters that cannot be folded by removing an accent, because they have a stroke (ø) or are two letters in one (æ). */
const LETTERS: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ı: "i",
};

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const DOI = /^(?:doi:\s*|(?:https?:\/\/)?(?:dx\.)?doi\.org\/)?(10\.\d{4,9}\/\S+)$/i;

/** Folds a text: NFKC, lower case, without accents. */
function fold(text: string): string {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").normalize("NFD").replace(/\p{M}/gu, "");
  return Array.from(plain, (letter) => LETTERS[letter] ?? letter).join("");
}

/** The words of each text. A text is split only once, because the test searches a corpus hundreds of times. */
const split = new Map<string, readonly string[]>();

function words(text: string): readonly string[] {
  const known = split.get(text);
  if (known !== undefined) return known;
  const made = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  split.set(text, made);
  return made;
}

/**
 * Returns the words of a text between spaces and punctuation. Parts in scripts without spaces, such as Chinese, are left out.
 */
function spacedWords(text: string): Set<string> {
  return new Set(
    words(text)
      .flatMap((word) => word.split(UNSPACED))
      .filter((word) => word !== ""),
  );
}

/** True if a search finds a text or its DOI. A search without letters and digits finds everything. */
function found(search: string, text: string | null, doi: string | null = null): boolean {
  return search.split(/\s+/u).every((term) => {
    const [, prefix] = DOI.exec(term) ?? [];
    if (prefix !== undefined) return doi?.startsWith(prefix.toLowerCase()) ?? false;
    return words(term).every((word) => foundWord(word, text ?? ""));
  });
}

function foundWord(word: string, text: string): boolean {
  if (UNSPACED.test(word)) return words(text).some((other) => other.includes(word));
  return spacedWords(text).has(word);
}

export type Query = Readonly<Record<string, string>>;
export type ListName = "records" | "authors" | "institutions" | "geography";

export interface Expected {
  readonly rows: readonly unknown[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

/** A row of the API with all values by which its list can be sorted, some of which are not in the row itself. */
interface Candidate {
  readonly id: string;
  readonly shown: object;
  readonly keys: Readonly<Record<string, Cell>>;
}

const DEFAULTS = {
  records: ["id", 10],
  authors: ["name", 10],
  institutions: ["label", 20],
  geography: ["countryCode", 250],
} as const;

/** Keys that break ties before the id, the highest value first. */
const TIES: Readonly<Record<string, readonly string[]>> = {
  shareOfCap: ["score", "pubDate"],
  relevance: ["pubDate"],
  identity: ["datasetCount"],
};

export function evaluate(
  list: ListName,
  query: Query,
  tables: Tables,
  countryName: (code: string) => string,
): Expected {
  const rubric = query.rubric ?? "2.0";
  const [byDefault, usual] = DEFAULTS[list];
  const candidates = listCandidates(list, query, rubric, tables, countryName);
  const key = query.sortBy ?? byDefault;
  const descending = query.sortOrder === "desc";
  const areNamesakesPlaced = list === "authors" && key === "name" && words(query.search ?? "").length > 0;
  const sorted = candidates.toSorted(
    (one, other) =>
      order(one.keys[key] ?? null, other.keys[key] ?? null, descending) ||
      (TIES[key] ?? []).map((tie) => order(one.keys[tie] ?? null, other.keys[tie] ?? null, true)).find(Boolean) ||
      (areNamesakesPlaced ? namesakeOrder(one, other) : 0) ||
      byCodePoint(one.id, other.id),
  );
  const [page, limit] = [Number(query.page ?? 1), Number(query.limit ?? usual)];
  return {
    rows: sorted.slice((page - 1) * limit, page * limit).map(({ shown }) => shown),
    total: sorted.length,
    page,
    limit,
  };
}

/** Compares two researchers with the same name: an ORCID iD comes first, then the larger number of datasets. */
function namesakeOrder({ keys: one }: Candidate, { keys: other }: Candidate): number {
  return (
    Number(one.orcid === null) - Number(other.orcid === null) || Number(other.datasetCount) - Number(one.datasetCount)
  );
}

/** Compares two values in a direction. Nulls come last in both directions. */
function order(one: Cell, other: Cell, descending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const compared =
    typeof one === "number" && typeof other === "number" ? one - other : byCodePoint(String(one), String(other));
  return descending ? -compared : compared;
}

function listCandidates(
  list: ListName,
  query: Query,
  rubric: string,
  tables: Tables,
  countryName: (code: string) => string,
): Candidate[] {
  const of = (rows: readonly Plain[]) => rows.filter((row) => row.rubric === rubric);
  switch (list) {
    case "records":
      return tables.records
        .filter((record) => selects(record, query, rubric, tables))
        .map((record) => recordCandidate(record, rubric));
    case "authors":
      return of(tables.researchers)
        .filter((row) => selectsAuthor(row, query, tables))
        .map((row) => authorCandidate(row, rubric));
    case "institutions":
      return of(tables.institutions)
        .filter((row) => selectsInstitution(row, query))
        .map(institutionCandidate);
    case "geography":
      return of(tables.countries).map((row) => countryCandidate(row, countryName));
    default:
      return list satisfies never;
  }
}

function selects(entry: PlainRecord, query: Query, rubric: string, { supported }: Tables): boolean {
  const { record, scores, facets, identifiers, affiliations } = entry;
  const score = scores.get(rubric);
  const total = score === undefined || score.total === null ? null : Number(score.total);
  const signals =
    score === undefined ? (supported.get(`${record.source} ${rubric}`) ?? 0) : popcount(score.supported_mask);
  const has = (kind: string, value: string | undefined) =>
    value === undefined || facets.some((facet) => facet.kind === kind && facet.value === value);
  const fold = (label: string | null) =>
    label?.toLowerCase().replace(/^info:eu-repo\/semantics\/([a-z]+)access$/, (_term, word: string) => word);
  const is = (column: string, value: string | undefined) =>
    value === undefined ||
    (query.spellings === "all" ? fold(text(record[column])) === fold(value) : record[column] === value);
  return (
    (query.search === undefined || found(query.search, text(record.title), text(record.doi))) &&
    (query.identifier === undefined || identifiers.includes(query.identifier)) &&
    (query.institution === undefined || affiliations.some(({ institution_id: id }) => id === query.institution)) &&
    (query.repository === undefined || text(record.repository)?.toLowerCase() === query.repository.toLowerCase()) &&
    is("record_kind", query.recordKind) &&
    is("access_status", query.accessStatus) &&
    has("disease", query.disease) &&
    has("ageGroup", query.ageGroup) &&
    has("dataType", query.dataType) &&
    (query.minScore === undefined || (total !== null && total >= Number(query.minScore))) &&
    (query.maxScore === undefined || (total !== null && total <= Number(query.maxScore))) &&
    (query.minSupportedChecks === undefined || signals >= Number(query.minSupportedChecks))
  );
}

function selectsAuthor(
  row: Plain,
  { search, institution, minSIndex = "0", minDatasets = "0" }: Query,
  { records }: Tables,
): boolean {
  const enough = Number(row.s_index) >= Number(minSIndex) && Number(row.dataset_count) >= Number(minDatasets);
  const reported = (one: Plain) => one.institution_id === institution && one.researcher_id === row.id;
  const there = institution === undefined || records.some(({ affiliations }) => affiliations.some(reported));
  return enough && there && (search === undefined || found(search, text(row.name)));
}

function selectsInstitution(row: Plain, { search, countryCode }: Query): boolean {
  const there = countryCode === undefined || row.country_code === countryCode.toUpperCase();
  return there && (search === undefined || found(search, text(row.label)));
}

function recordCandidate({ record, scores }: PlainRecord, rubric: string): Candidate {
  const score = scores.get(rubric);
  const [total = null, S = null, H = null, A = null, R = null, E = null] = ["total", "s", "h", "a", "r", "e"].map(
    (name) => score?.[name] ?? null,
  );
  const shown = {
    id: record.id,
    doi: record.doi,
    repository: record.repository,
    title: record.title,
    pubDate: record.pub_date,
    versionFamily: record.version_family,
    scoreStatus: score === undefined ? "failed" : total === null ? "insufficient_evidence" : "scored",
    score: total === null ? null : { total, bucketScores: { S, H, A, R, E }, status: "scored" },
    shareScore: total,
    stewardshipScore: S,
    harmonizationScore: H,
    accessScore: A,
    engagementScore: E,
    reuseScore: rubric === "1.0" ? R : null,
    reusabilityScore: rubric === "2.0" ? R : null,
    ...besideTotal(score, total),
  };
  const relevance = record.title === null ? null : -Array.from(String(record.title)).length;
  const keys = { ...listSortableCells(shown), score: total, S, H, A, R, E, relevance };
  return { id: String(record.id), shown, keys };
}

function besideTotal(score: Plain | undefined, total: unknown) {
  if (score === undefined) return { cap: null, shareOfCap: null, passedOfEvaluable: null, range: null };
  const points = (mask: string) => 4 * [...Number(score[mask]).toString(2)].filter((bit) => bit === "1").length;
  const [cap, evaluable] = [points("supported_mask"), points("evaluable_mask")];
  if (total === null) return { cap, shareOfCap: null, passedOfEvaluable: null, range: null };
  const least = Number(total);
  const percent = (of: number) => Number(((100 * least) / of + 1e-9).toFixed(2));
  return {
    cap,
    shareOfCap: percent(cap),
    passedOfEvaluable: percent(evaluable),
    range: { least, most: least + cap - evaluable },
  };
}

function authorCandidate(row: Plain, rubric: string): Candidate {
  const shown = {
    id: row.id,
    name: row.name,
    slug: row.slug,
    affiliation: row.affiliation ?? "",
    sIndex: row.s_index,
    sIndexBasis: {
      datasets: row.dataset_count,
      rubric,
      date: row.data_date,
      median: row.s_index_median,
      cap: row.mean_cap,
    },
    sImpact: row.s_impact,
    citedBasis: { known: row.cited_known, datasets: row.cited_datasets },
    datasetCount: row.dataset_count,
    avgScore: row.mean_score,
    meanCap: row.mean_cap,
    passedOfEvaluable: row.passed_of_evaluable,
    maxScore: row.max_score,
    shareScore: row.mean_score,
    identityBasis: row.identity_basis,
    orcid: row.orcid,
  };
  const [S = null, H = null, A = null, R = null, E = null] = ["s", "h", "a", "r", "e"].map(
    (name) => row[`mean_${name}`],
  );
  const buckets = { S, H, A, R, E, stewardshipScore: S, harmonizationScore: H, accessScore: A, engagementScore: E };
  const reuse = { reuseScore: rubric === "1.0" ? R : null, reusabilityScore: rubric === "2.0" ? R : null };
  return {
    id: String(row.id),
    shown,
    keys: {
      ...listSortableCells(shown),
      score: row.mean_score ?? null,
      ...buckets,
      ...reuse,
      identity: `${row.orcid === null ? 1 : 0} ${row.name}`,
    },
  };
}

function institutionCandidate(row: Plain): Candidate {
  const shown = {
    id: row.id,
    label: row.label,
    countryCode: row.country_code,
    authorCount: row.author_count,
    ...buildAggregate(row),
  };
  return { id: String(row.id), shown, keys: listSortableCells(shown) };
}

function countryCandidate(row: Plain, countryName: (code: string) => string): Candidate {
  const code = String(row.country_code);
  const shown = {
    countryCode: code,
    name: countryName(code),
    institutionCount: row.institution_count,
    ...buildAggregate(row),
  };
  return { id: code, shown, keys: listSortableCells(shown) };
}

function buildAggregate(row: Plain) {
  const ranges = Array.from({ length: 11 }, (_, i) => [i === 10 ? "100" : `${i * 10}-${i * 10 + 9}`, row[`d${i}`]]);
  const means = ["s", "h", "a", "r", "e"].map((bucket) => [bucket.toUpperCase(), row[`mean_${bucket}`]]);
  return {
    recordCount: row.record_count,
    scoredCount: row.scored_count,
    meanScore: row.mean_score,
    meanCap: row.mean_cap,
    passedOfEvaluable: row.passed_of_evaluable,
    bucketMeans: Object.fromEntries(means),
    scoreDistribution: Object.fromEntries(ranges),
    totalDistribution: Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`${4 * i}`, row[`t${4 * i}`]])),
  };
}

/** Returns the fields by which a row can be sorted. */
function listSortableCells(shown: object): Record<string, Cell> {
  const cells = Object.entries(shown).filter(
    (entry): entry is [string, Cell] => typeof entry[1] !== "object" || entry[1] === null,
  );
  return Object.fromEntries(cells);
}

function text(cell: Cell | undefined): string | null {
  return cell === null || cell === undefined ? null : String(cell);
}
