/** The section of a release's page with its citation and its files. */

import { fileSize } from "../../api-static/pages/numbers.ts";
import { DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { CSV_TABLES, publishedName, type Table } from "../../schemas/public/tables.ts";
import { integer, timeElement } from "../components/figures.ts";
import { duckDb, sqlText } from "../components/programs.ts";
import { snippet } from "../components/snippets.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { PUBLISHED_TABLES } from "../reference/tables.ts";

export interface ReleaseContents {
  readonly receipt: Pick<Receipt, "scoreReleaseVersion" | "releaseDigest" | "asOf" | "publishedAt" | "license">;
  readonly citation: string;
  readonly files: readonly ReleaseFile[];
}

export interface ReleaseFile {
  readonly path: string;
  readonly bytes: number;
  /** Number of rows; null for a file that is not a table. */
  readonly rows: number | null;
}

/** The published tables, first those that are also available as CSV. */
const TABLES = PUBLISHED_TABLES.toSorted((one, other) => Number(hasCsv(other)) - Number(hasCsv(one)));

function hasCsv(of: Table): boolean {
  return [...CSV_TABLES, ...Object.values(DIFF_TABLES)].includes(of);
}

const OTHERS: Readonly<Record<string, string>> = {
  "release.json": "Receipt: inputs, counts, gates and digests",
  "manifest.ndjson": "Manifest: every file with its size and SHA-256 digest",
  [DESCRIPTORS.datapackage]: "Tables and columns as a Data Package",
  [DESCRIPTORS.croissant]: "Tables and columns as Croissant, for machine learning",
  [DESCRIPTORS.roCrate]: "Files as an RO-Crate",
  [DESCRIPTORS.citation]: "Citation for GitHub, Zenodo and reference managers",
  "data/contracts.json": "Rules of the signals",
  "data/pledges.json": "Facts that each source can carry",
  "data/vocabularies.json": "Word lists of the readers",
  "data/validation.json": "Figures of the validation",
  "data/diff.json": "Changes since the previous release",
};

/** Returns the section with the citation and the files of a release. `digest` is the digest of the release as in its URL. */
export function downloadSection({ receipt, citation, files }: ReleaseContents, digest: string, origin: string): Html {
  const { scoreReleaseVersion, releaseDigest, asOf, publishedAt, license = null } = receipt;
  const href = (path: string) => `/releases/${digest}/${path}`;
  return html`<h2 id="download">Cite and download</h2>
<p>As of ${timeElement(asOf)}, published ${timeElement(publishedAt)}${
    license === null
      ? null
      : html`, licence <a href="https://spdx.org/licenses/${license}.html" rel="external">${license}</a>`
  }.</p>
<div class="halves"><section><h3>Citation</h3>${snippet("the citation", citation)}</section>
<section><h3>Digest</h3>${snippet("the digest", releaseDigest)}</section></div>
<h3>Tables</h3>
<p>The reference describes <a href="/docs/tables">every column</a>.</p>
${tableList("Tables as CSV and Parquet", TABLES.filter(hasCsv), files, href)}
<details><summary>Tables as Parquet only</summary>${tableList(
    "Tables as Parquet",
    TABLES.filter((each) => !hasCsv(each)),
    files,
    href,
  )}</details>
<details><summary>Download all tables with one command</summary><p>With their descriptions, in a folder of your own:</p>
${snippet("the command that downloads all tables", downloadCommand(`${origin}/releases/${releaseDigest.replace(":", "-")}/`))}</details>
${exampleQuery(files, (path) => origin + href(path))}
${wholeDatabase(`share-${scoreReleaseVersion}.duckdb`, files, (path) => origin + href(path))}
<details><summary>Descriptions, rules and the receipt</summary>${table(
    "Descriptions and rules",
    ["File", "Content", numberColumn("Size")],
    Object.entries(OTHERS).flatMap(([path, content]) => {
      const file = files.find((each) => each.path === path);
      return file === undefined ? [] : [[html`<a href="${href(path)}">${path}</a>`, content, fileSize(file.bytes)]];
    }),
  )}</details>`;
}

/** The contents of tables, for readers who do not know the columns. */
const CONTENTS: Readonly<Record<string, string>> = {
  records: "Every dataset: title, identifiers, repository, licence and date",
  scores: "The score of every dataset: total, buckets and signals",
  authorships: "The creators of every dataset",
  researchers: "Every researcher with the S-Index",
  institutions: "Average scores by affiliation",
  geography: "Average scores by country",
  metrics: "Average scores of all datasets together",
  repositories: "Average scores by repository",
  values: "The texts in the metadata that were counted for a signal, or left out",
  "diff-records": "Datasets that were added, removed or changed since the previous release",
  "diff-signals": "Signals that changed since the previous release, with causes",
  "diff-researchers": "Researchers whose S-Index or S-Impact changed",
};

function tableList(
  caption: string,
  tables: readonly Table[],
  files: readonly ReleaseFile[],
  href: (path: string) => string,
): Html {
  return table(
    caption,
    ["Table", "Content", numberColumn("Rows"), numberColumn("Size"), "Files"],
    tables.flatMap((each) => listRows(each, files, href)),
  );
}

/** Maximum number of files of one table in an example of SQL, which would otherwise be too long to read. */
const MAX_PARTS = 10;

/** Returns SQL that reads two tables of this release by their URLs; null if a table is missing or has too many files. */
function exampleQuery(files: readonly ReleaseFile[], getUrl: (path: string) => string): Html | null {
  const [records, scores] = [listUrls("records", files, getUrl), listUrls("scores", files, getUrl)];
  if ([records, scores].some(({ length }) => length === 0 || length > MAX_PARTS)) return null;
  const sql = `select repository, count(*) as datasets, round(avg(total), 2) as average
from read_parquet([${records.join(", ")}]) as record
join read_parquet([${scores.join(", ")}]) as score using (id)
where rubric = ${sqlText(PUBLIC_VERSIONS[0])}
group by repository
order by datasets desc;`;
  return html`<details data-server><summary>Query the tables in DuckDB without a download</summary>${duckDb("In DuckDB:", sql)}</details>`;
}

/** Returns SQL that copies all tables of this release into a database with this name; null if a table has too many files. */
function wholeDatabase(name: string, files: readonly ReleaseFile[], getUrl: (path: string) => string): Html | null {
  const parts = TABLES.map(publishedName).map((of) => ({ of, urls: listUrls(of, files, getUrl) }));
  if (parts.some(({ urls }) => urls.length > MAX_PARTS)) return null;
  const statements = parts.flatMap(({ of, urls }) =>
    urls.length === 0 ? [] : [`create table "${of}" as from read_parquet([${urls.join(", ")}]);`],
  );
  const sql = [`attach ${sqlText(name)} as share;`, "use share;", ...statements].join("\n");
  return html`<details data-server><summary>All tables as one database</summary>${duckDb("In DuckDB:", sql)}</details>`;
}

/** Returns the files of a table, by its published name. */
function listParts(name: string, files: readonly ReleaseFile[]): ReleaseFile[] {
  return files.filter(({ path }) => path.startsWith(`data/${name}/`) || path === `data/${name}.parquet`);
}

/** Returns the URLs of the files of a table, as texts in SQL. */
function listUrls(name: string, files: readonly ReleaseFile[], getUrl: (path: string) => string): string[] {
  return listParts(name, files).map(({ path }) => sqlText(getUrl(path)));
}

/** Returns a command that downloads the receipt, the manifest, and the tables and descriptions that the manifest lists. */
function downloadCommand(folder: string): string {
  return `curl -fsS '${folder}{release.json,manifest.ndjson}' -o '#1'
cut -d'"' -f4 manifest.ndjson | grep -v '^pages/' | xargs -I{} curl -fsS --create-dirs '${folder}{}' -o '{}'`;
}

/** Returns the row of a table; an empty list if the release does not have the table. */
function listRows(each: Table, files: readonly ReleaseFile[], href: (path: string) => string): HtmlPart[][] {
  const name = publishedName(each);
  const parts = listParts(name, files);
  if (parts.length === 0) return [];
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const csv = hasCsv(each) ? [html`<a href="${href(`data/${name}.csv.gz`)}">CSV</a>`] : [];
  const links = parts.map(
    ({ path }, i) => html`<a href="${href(path)}">Parquet${parts.length === 1 ? "" : ` ${i + 1}`}</a>`,
  );
  return [
    [
      html`<a href="/docs/tables#table-${name}">${name}</a>`,
      CONTENTS[name] ?? `One row: ${each.grain}`,
      integer(sum(parts.map(({ rows }) => rows ?? 0))),
      fileSize(sum(parts.map(({ bytes }) => bytes))),
      [...csv, ...links].map((link, i) => [i === 0 ? "" : ",\u00a0", link]),
    ],
  ];
}
