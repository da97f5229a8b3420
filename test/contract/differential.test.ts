/** Compares the responses to 500 random queries of lists (2,000 in the third tier) with a naive evaluation in memory. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Receipt } from "../../schemas/public/release.ts";
import { serve } from "../server/test-store.ts";
import { sharedStore } from "../support/temporary-store.ts";
import { IS_SOAK } from "../tiers.ts";
import { type Ask, Client } from "./client.ts";
import { listAt, parseJson, textAt } from "./conformance/values.ts";
import { contractContent } from "./corpus.ts";
import { type Expected, evaluate, type ListName, type Query } from "./differential/naive.ts";
import { type Cell, type Plain, readTables, type Tables } from "./differential/tables.ts";

interface ListQuestion {
  readonly list: ListName;
  readonly query: Query;
}

const SORTS = {
  records: [
    "id",
    "score",
    "shareScore",
    "S",
    "H",
    "A",
    "R",
    "E",
    "stewardshipScore",
    "harmonizationScore",
    "accessScore",
    "engagementScore",
    "reuseScore",
    "reusabilityScore",
    "shareOfCap",
    "pubDate",
    "title",
    "relevance",
  ],
  authors: [
    ...["sIndex", "sImpact", "datasetCount", "avgScore", "maxScore", "meanCap", "passedOfEvaluable", "name"],
    ...["score", "shareScore", "S", "H", "A", "R", "E", "stewardshipScore", "harmonizationScore"],
    ...["accessScore", "engagementScore", "reuseScore", "reusabilityScore", "identity"],
  ],
  institutions: ["recordCount", "authorCount", "meanScore", "label"],
  geography: ["countryCode", "recordCount", "meanScore"],
} as const;

const LISTS: readonly ListName[] = [
  "records",
  "records",
  "records",
  "records",
  "records",
  "authors",
  "authors",
  "institutions",
  "institutions",
  "geography",
];

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Questions {
  readonly #next: () => number;
  readonly #tables: Tables;

  constructor(seed: number, tables: Tables) {
    this.#next = numbers(seed);
    this.#tables = tables;
  }

  draw(): ListQuestion {
    const list = this.#one(LISTS) ?? "records";
    const query: Record<string, string> = {};
    const set = (name: string, chance: number, value: () => string | null) => {
      if (this.#next() >= chance) return;
      const drawn = value();
      if (drawn !== null) query[name] = drawn;
    };
    this.#filters(list, set);
    set("rubric", 0.6, () => this.#one(["1.0", "2.0"]));
    set("sortBy", 0.7, () => this.#one(SORTS[list]));
    set("sortOrder", 0.6, () => this.#one(["asc", "desc"]));
    set("limit", 0.6, () => String(this.#one([1, 2, 3, 7, 10, 37, 99, 100])));
    set("page", 0.5, () => String(this.#one([1, 2, 2, 3, 3, 4, 5, 9, 30, 31, 400, 10_000])));
    return { list, query };
  }

  #filters(list: ListName, set: (name: string, chance: number, value: () => string | null) => void): void {
    switch (list) {
      case "records":
        this.#recordFilters(set);
        return;
      case "authors":
        set("search", 0.4, () => this.#words(this.#tables.researchers, "name"));
        set("institution", 0.15, () => this.#cell(this.#tables.institutions, "id"));
        set("minSIndex", 0.3, () => String(this.#whole(0, 8)));
        set("minDatasets", 0.3, () => String(this.#whole(0, 12)));
        return;
      case "institutions":
        set("search", 0.4, () => this.#words(this.#tables.institutions, "label"));
        set("countryCode", 0.3, () => this.#cased(this.#cell(this.#tables.countries, "country_code") ?? "TUV"));
        return;
      case "geography":
        return;
      default:
        list satisfies never;
    }
  }

  #recordFilters(set: (name: string, chance: number, value: () => string | null) => void): void {
    const records = this.#tables.records.map(({ record }) => record);
    const facet = (kind: string) =>
      this.#cell(
        this.#tables.records.flatMap(({ facets }) => facets).filter((row) => row.kind === kind),
        "value",
      );
    set("search", 0.4, () => this.#chooseSearch(records));
    set("institution", 0.1, () => this.#cell(this.#tables.institutions, "id"));
    set("repository", 0.2, () => this.#cell(records, "repository"));
    set("recordKind", 0.12, () => this.#one(["trial", "dataset", "Dataset", "Collection", "dat"]));
    set("accessStatus", 0.15, () => this.#cell(records, "access_status"));
    set("spellings", 0.15, () => this.#one(["exact", "all"]));
    set("disease", 0.05, () => facet("disease"));
    set("ageGroup", 0.07, () => facet("ageGroup"));
    set("dataType", 0.07, () => facet("dataType"));
    set("identifier", 0.04, () => this.#one(this.#one(this.#tables.records)?.identifiers ?? []));
    set("minScore", 0.2, () => this.#one(["0", "4", "20", "24.5", "36", "40", "60", "100"]));
    set("maxScore", 0.15, () => this.#one(["0", "12", "20", "39.99", "40", "56", "80", "100"]));
    set("minSupportedChecks", 0.15, () => String(this.#whole(0, 25)));
  }

  #chooseSearch(records: readonly Plain[]): string | null {
    const doi = this.#cell(records, "doi");
    if (doi === null || this.#next() < 0.8) return this.#words(records, "title");
    const begin = doi.slice(0, this.#whole(9, doi.length));
    return this.#one([begin, `doi:${begin}`, `https://doi.org/${begin}`, this.#cased(begin)]);
  }

  /** Returns a search: one to three words from a row, as written or in another case, or nonsense, or only punctuation. */
  #words(rows: readonly Plain[], column: string): string | null {
    if (this.#next() < 0.06) return this.#one(["nosuchword", "...", " ", "snow -depth", "%"]);
    const text = this.#cell(rows, column);
    if (text === null) return null;
    const words = text.split(/\s+/u).filter((word) => word !== "");
    const drawn = Array.from({ length: this.#whole(1, 3) }, () => this.#one(words) ?? "");
    return this.#cased(this.#inside(drawn).join(" "));
  }

  /** Replaces some words by a part of the word, which a search should find only in scripts without spaces. */
  #inside(words: readonly string[]): string[] {
    return words.map((word) => {
      const characters = Array.from(word);
      if (this.#next() < 0.85 && !/[\p{Script=Han}\p{Script=Thai}]/u.test(word)) return word;
      const begin = this.#whole(0, characters.length - 1);
      return characters.slice(begin, begin + this.#whole(1, 5)).join("");
    });
  }

  #cased(text: string): string {
    return this.#one([text, text, text.toUpperCase(), text.toLowerCase()]) ?? text;
  }

  #cell(rows: readonly Plain[], column: string): string | null {
    const cell: Cell | undefined = this.#one(rows)?.[column];
    return cell === null || cell === undefined ? null : String(cell);
  }

  #one<Value>(values: readonly Value[]): Value | null {
    return values[Math.floor(this.#next() * values.length)] ?? null;
  }

  #whole(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }
}

/** The seed of the random queries. The message of a failure has the seed and the URL, so that the query can be repeated. */
const SEED = Number(process.env.CONTRACT_SEED ?? 20_261_101);
const QUESTIONS = IS_SOAK ? 2000 : 500;
const BATCHES = 20;

/** Number of generated records of each of the three sources. */
const GENERATED = 1000;

const cleanup = new AsyncDisposableStack();
let ask: Ask;
let receipt: Receipt;
let tables: Tables;
let questions: Questions;
const names = new Map<string, string>();

beforeAll(async () => {
  const { store, receipts } = cleanup.use(await sharedStore(contractContent({ generated: GENERATED, builds: [{}] })));
  [receipt] = receipts;
  tables = await readTables(store, receipt);
  questions = new Questions(SEED, tables);
  const server = await serve(store);
  cleanup.defer(() => server.close());
  const client = new Client(server.port);
  cleanup.defer(() => client.close());
  ask = client.ask;
  // No table has the names of countries, but the page of all countries does.
  for (const row of listAt(parseJson((await ask("/geography")).text), "data"))
    names.set(textAt(row, "countryCode"), textAt(row, "name"));
}, 300_000);

afterAll(() => cleanup.disposeAsync());

function buildListPath({ list, query }: ListQuestion): string {
  const search = new URLSearchParams(query).toString();
  return search === "" ? `/${list}` : `/${list}?${search}`;
}

function buildBody({ rows, total, page, limit }: Expected): unknown {
  const totalPages = Math.ceil(total / limit);
  const { scoreReleaseVersion, releaseDigest } = receipt;
  return {
    data: rows,
    pagination: { total, page, limit, totalPages, hasNext: page < totalPages, hasPrev: page > 1 },
    _meta: { scoreRelease: { scoreReleaseVersion, releaseDigest } },
  };
}

/** The number of queries that selected some rows but not all; queries without results would prove nothing. */
let telling = 0;

test.each(Array.from({ length: BATCHES }, (_, i) => i + 1))(
  "batch %i of random queries returns the same rows as a simple evaluation in memory",
  async () => {
    for (let i = 0; i < QUESTIONS / BATCHES; i += 1) {
      const question = questions.draw();
      const address = buildListPath(question);
      const reply = await ask(address);
      const wanted = evaluate(question.list, question.query, tables, (code) => names.get(code) ?? code);
      const told = `seed ${SEED}: ${address}`;
      expect(reply.status, told).toBe(200);
      expect(parseJson(reply.text), told).toEqual(buildBody(wanted));
      if (wanted.total > 0 && wanted.total < 200) telling += 1;
    }
  },
);

test("more than a quarter of the random queries select some rows, but fewer than 200", () => {
  expect(tables.records.length).toBeGreaterThan(2500);
  expect(telling).toBeGreaterThan(QUESTIONS / 4);
});
