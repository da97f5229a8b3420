/** Statements about lists as CSV, in which a page has the same rows in the same order as in JSON. */

import { header, OK, rejected, status } from "./expectations.ts";
import { asked, clause, type Expectation, type Row, type Statement } from "./statement.ts";
import { at, listAt, parseJson, shown } from "./values.ts";

const CSV = { headers: { accept: "text/csv" } };

/** Parses CSV (RFC 4180) into the cells of each record. It is written for this test, without a library. */
export function csvRecords(text: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  for (const [, quoted, plain = "", end = ""] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    if (cells.length > 1 || cells[0] !== "") records.push(cells);
    cells = [];
  }
  return records;
}

/** True if a CSV cell has this value. An apostrophe may precede a value that a spreadsheet would read as a formula. */
const sameCell = (cell: string, value: unknown) => {
  const text = value === null || value === undefined ? "" : String(value);
  return cell === text || (/^[=+\-@\t\r]/.test(text) && cell === `'${text}`);
};

/** Expects the rows of the JSON list at `path` in the same order, each with the values of the named fields. */
function sameRows(path: string, names: readonly string[]): Expectation {
  return {
    text: `the rows of the JSON list, ${names.join(", ")} among the columns`,
    async fault({ text }, ask) {
      const rows = listAt(parseJson((await ask(path)).text), "data");
      const [head = [], ...records] = csvRecords(text);
      if (records.length !== rows.length) return `${records.length} records for ${rows.length} rows`;
      const missing = names.find((name) => !head.includes(name));
      if (missing !== undefined) return `no column ${missing} among ${shown(head)}`;
      const ragged = records.find((record) => record.length !== head.length);
      if (ragged !== undefined) return `${ragged.length} cells under ${head.length} columns: ${shown(ragged)}`;
      for (const [i, record] of records.entries()) {
        const wrong = names.find((name) => !sameCell(record[head.indexOf(name)] ?? "", at(rows[i], name)));
        if (wrong !== undefined)
          return `row ${i}: ${wrong} is ${shown(record[head.indexOf(wrong)])}, not ${shown(at(rows[i], wrong))}`;
      }
      return null;
    },
  };
}

const TYPE = header("content-type", /^text\/csv; ?charset=utf-8/i);

const LISTS = {
  "/records?limit=100": [
    "id",
    "doi",
    "repository",
    "title",
    "pubDate",
    "versionFamily",
    "scoreStatus",
    "shareScore",
    "reuseScore",
    "reusabilityScore",
    "score.total",
    "score.bucketScores.S",
    "cap",
    "shareOfCap",
    "range.least",
    "range.most",
  ],
  "/records?limit=100&page=2": ["id", "title", "score.status"],
  "/records?rubric=1.0&sortBy=score&sortOrder=desc": ["id", "reuseScore", "score.total"],
  "/records?limit=100&search=10.5072/sparse": ["id", "score.total", "shareScore"],
  "/records?limit=100&search=10.5072/formula": ["id", "title"],
  "/authors?limit=100": ["id", "name", "slug", "affiliation", "sIndex", "avgScore", "orcid"],
  "/institutions?limit=100": ["id", "label", "countryCode", "recordCount", "meanScore"],
  "/geography": ["countryCode", "name", "recordCount", "meanScore"],
} as const;

const same: readonly Row[] = Object.entries(LISTS).map(([path, names]) =>
  asked(`same rows, same order: ${path}`, path, CSV, OK, TYPE, sameRows(path, names)),
);

export const CSV_LISTS: readonly Statement[] = clause("decisions.md, Requests: Lists also answer Accept: text/csv", [
  ...same,
  asked(
    "an empty list has its header line",
    "/records?search=nosuchwordanywhere",
    CSV,
    OK,
    TYPE,
    sameRows("/records?search=nosuchwordanywhere", ["id"]),
  ),
  asked("errors stay problem documents", "/records?page=0", CSV, rejected(400, "invalid-parameter", "page")),
  asked("preferred to JSON", "/records", { headers: { accept: "text/csv, application/json;q=0.5" } }, OK, TYPE),
  asked(
    "JSON if the client accepts anything",
    "/records",
    { headers: { accept: "*/*" } },
    OK,
    header("content-type", /json/),
  ),
  asked(
    "JSON if the client prefers it",
    "/records",
    { headers: { accept: "application/json, text/csv;q=0.5" } },
    OK,
    header("content-type", /json/),
  ),
  asked("another ETag than JSON's", "/records", CSV, OK, {
    text: "ETag differs from JSON's",
    fault: async ({ headers }, ask) =>
      headers.etag === undefined || headers.etag === (await ask("/records")).headers.etag
        ? `ETag ${headers.etag}`
        : null,
  }),
  asked(
    "a response that is not a list stays JSON",
    "/metrics/live",
    CSV,
    status(200, 406),
    header("content-type", /json/),
  ),
]);
