/**
 * The end of a view for programmers: its content in the API, and the same in Python. `data-server` marks what a static site
 * leaves out.
 */

import { type Html, html } from "../html.ts";

/** Returns the URL of the view's content in the API, and Python that reads it. `apiPath` may have a query. */
export function forPrograms(origin: string, apiPath: string): Html {
  return html`<details class="programs" data-server><summary>This page for programs: API and Python</summary>
<p>The API has the same content as JSON: <a href="${apiPath}">${origin}${apiPath}</a>. <a href="/docs">All requests of the API</a></p>
<p>In Python:</p><div class="snippet"><pre tabindex="0" data-copy role="group" aria-label="Python">${pythonFor(origin, apiPath)}</pre></div>
</details>`;
}

/** Parameters of one page of a list. The Python package reads all pages. */
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

/** Returns a Python string. Its escapes are those of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
