/**
 * The section for programmers at the end of a view: the URL of its content in the API, and code in Python and DuckDB
 * that reads it. A static site leaves out elements that are marked with `data-server`.
 */

import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { snippet } from "./snippets.ts";

/** Returns the URL of the view's content in the API, and Python and SQL that read it. `apiPath` may have a query. */
export function forPrograms(origin: string, apiPath: string): Html {
  return html`<details class="programs" data-server><summary>This page for programs: API and Python</summary>
<p>The API has the same content as JSON: <a href="${apiPath}">${origin}${apiPath}</a>. <a href="/docs">All requests of the API</a></p>
<p>In Python:</p>${snippet(t("Python"), pythonFor(origin, apiPath))}
${duckDbPart(origin, apiPath)}</details>`;
}

/** Lists of the API that DuckDB can read as JSON, one page at a time. */
const JSON_LISTS = ["/authors", "/institutions", "/geography"];

/** Returns SQL for a list; null for other content. DuckDB loads its HTTP extension by itself. */
function duckDbPart(origin: string, apiPath: string): Html | null {
  const { pathname, search } = new URL(apiPath, "http://localhost");
  if (pathname === "/records") {
    return duckDb(
      t("In DuckDB, all datasets of the list:"),
      `from read_csv(${sqlText(`${origin}/datasets.csv${search}`)});`,
    );
  }
  if (!JSON_LISTS.includes(pathname)) return null;
  const rows = `from read_json(${sqlText(origin + apiPath)})`;
  return duckDb(t("In DuckDB, one page of the list:"), `select unnest(data, max_depth := 2) ${rows};`);
}

/** Returns a block of SQL. `words` introduce it. */
export function duckDb(words: string, sql: string): Html {
  return html`<p>${words}</p>${snippet(t("DuckDB"), sql)}`;
}

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Parameters that select one page of a list. The code leaves them out, because the Python package reads all pages. */
const PAGE_PARAMETERS = ["page", "limit", "cursor"];

function pythonFor(origin: string, apiPath: string): string {
  const { pathname, searchParams } = new URL(apiPath, "http://localhost");
  const [, kind = "", key] = pathname.split("/");
  const client = `from share_scores import Client  # from a copy of this program: pip install ./python\n\nclient = Client(${quoted(origin)})\n`;
  const filters = [...searchParams].filter(([name]) => !PAGE_PARAMETERS.includes(name));
  const list = (method: string, fields: string) =>
    `${client}for row in client.${method}(${filters.map(([name, value]) => `${snake(name)}=${quoted(value)}`).join(", ")}):\n    print(${fields})`;
  if (kind === "records" && key !== undefined) {
    const { rubric = "2.0" } = Object.fromEntries(searchParams);
    return `${client}record = client.record(${quoted(key)}, rubric=${quoted(rubric)})\nprint(record["title"], record["score"])`;
  }
  if (pathname === "/records") return list("records", 'row["doi"], row["shareScore"], row["title"]');
  if (pathname === "/authors") return list("researchers", 'row["name"], row["sIndex"]');
  return `import json\nfrom urllib.request import urlopen\n\nwith urlopen(${quoted(origin + apiPath)}) as response:\n    page = json.load(response)\nprint(json.dumps(page, indent=2))`;
}

/** Returns a Python string. JSON has the same escapes. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
