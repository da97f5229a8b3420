/** The API reference: shows the OpenAPI document as standalone documents, an index and one page for each group. */

import type { Example, Method, OpenApi, Schema } from "../../api-static/openapi/types.ts";
import { PROBLEM_ADVICE } from "../../api-static/pages/problem-advice.ts";
import { getColumnMeaning } from "../../schemas/public/column-meanings.ts";
import { problem } from "../../schemas/public/problem.ts";
import { GUIDES } from "../../schemas/public/site/guides.ts";
import { publishedName, type Table } from "../../schemas/public/tables.ts";
import { contactLink } from "../components/contact.ts";
import { siteHeader, standaloneDocument, type View } from "../components/document.ts";
import { DEFAULT_FACE, type SiteFace, siteMark } from "../components/face.ts";
import { headerFindForm } from "../components/forms.ts";
import { findScripts } from "../components/scripts.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { type GuideServer, guide } from "./guide.ts";
import { breakablePath, inline, paragraphs } from "./markdown.ts";
import { type Located, operationSection } from "./operation.ts";
import { anchorOf, fieldTable, twoColumns, typeText } from "./schemas.ts";
import { PUBLISHED_TABLES, TABLES_INTRO } from "./tables.ts";

const METHODS: readonly Method[] = ["get", "post", "delete"];

/** One page of the reference besides the index, with its entries in the index. */
interface Group {
  /** Last segment of the page's path. */
  readonly name: string;
  readonly title: string;
  /** The anchor of the group in the index. */
  readonly anchor: string;
  readonly intro: HtmlPart;
  readonly entries: readonly ReferenceEntry[];
  readonly content: HtmlPart;
}

interface ReferenceEntry {
  /** The anchor of the entry, which is the same in the index and on the page. */
  readonly anchor: string;
  readonly text: HtmlPart;
  /** The method and path of an operation, which the index shows. */
  readonly note: HtmlPart;
}

/** The server that shows the reference. Functions take null for a published copy, which has no server. */
export interface ReferenceServer extends GuideServer {
  readonly hasSite: boolean;
  readonly face: SiteFace;
}

/** Returns the pages by the last segment of their paths, such as `problems`. The index, `/docs`, has an empty name. */
export function referencePages(document: OpenApi, server: ReferenceServer | null = null): ReadonlyMap<string, string> {
  const groups = [
    ...document.tags.map((tag) => operationsGroup(tag, document)),
    problemsGroup(document),
    headersGroup(document),
    schemasGroup(document),
    tablesGroup(),
  ];
  return new Map([
    ["", indexPage(document, groups, server)],
    ...groups.map((group): [string, string] => [group.name, groupPage(group, document, groups, server)]),
  ]);
}

/** Returns a document with the look and the scripts of the site; on a server without the site, or in a published copy, one that needs nothing else. */
function wholeDocument(view: Pick<View, "title" | "description" | "body">, server: ReferenceServer | null): string {
  if (server?.hasSite !== true) return standaloneDocument(view);
  const body = html`${view.body}`;
  return standaloneDocument({ ...view, body: html`${body}${findScripts(body)}` }, null, server.face);
}

function indexPage(document: OpenApi, groups: readonly Group[], server: ReferenceServer | null): string {
  const { info } = document;
  return wholeDocument(
    {
      title: `${info.title}: API reference`,
      description: info.summary,
      body: html`${top(server)}<div class="reference">
<section class="head" aria-labelledby="title">
<h1 id="title">${info.title}</h1>
<p class="lead">${info.summary}</p>
<p class="muted small">API ${info.version} · SHARE ${document["x-share-version"]} · <a href="/openapi.json">OpenAPI ${document.openapi} document</a></p>
${server?.hasSite === true ? GUIDE_LINKS : null}
</section>
${contents(groups, null)}
<main class="page" id="content" tabindex="-1">
<section id="begin" aria-labelledby="begin-name"><h2 id="begin-name">Getting started</h2>${guide(server).map(
        ({ anchor, title, content }) =>
          html`<section class="chapter" id="${anchor}"><h3>${title}</h3>${content}</section>`,
      )}</section>
<section id="groups" aria-labelledby="groups-name"><h2 id="groups-name">All pages</h2>${groups.map(
        (group) =>
          html`<section class="chapter" id="${group.anchor}"><h3><a href="/docs/${group.name}">${group.title}</a></h3>
<p>${group.intro}</p>
${listEntries(group)}</section>\n`,
      )}</section>
<section id="about" aria-labelledby="about-name"><h2 id="about-name">About</h2>${paragraphs(info.description)}</section>
${footer(document)}
</main>
</div>`,
    },
    server,
  );
}

/** The guides for programmers, which only a server with the site has. */
const GUIDE_LINKS = html`<p>Guides: ${(["api-guide", "data-guide", "python", "r", "duckdb"] as const).map((name, i) => [i === 0 ? null : " · ", html`<a href="/guides/${name}">${GUIDES[name].title}</a>`])}</p>`;

/** Longest list of entries that the index shows unfolded. */
const MAX_ENTRIES = 20;

/** Returns the links to the entries of a page. Long lists are folded. */
function listEntries({ name, title, entries }: Group): Html {
  const list = html`<ul class="entries${entries.every(({ note }) => note === null) ? " names" : ""}">${entries.map((entry) => html`<li id="${entry.anchor}"><a href="/docs/${name}#${entry.anchor}">${entry.text}</a>${entry.note}</li>`)}</ul>`;
  if (entries.length <= MAX_ENTRIES) return list;
  return html`<details><summary>All ${entries.length} in “${title}”</summary>${list}</details>`;
}

function groupPage(group: Group, document: OpenApi, groups: readonly Group[], server: ReferenceServer | null): string {
  const { title, intro, content } = group;
  return wholeDocument(
    {
      title: `${title}: API reference`,
      description: `${title} in the reference of ${document.info.title}.`,
      body: html`${top(server)}<div class="reference">
<section class="head" aria-labelledby="title">
<p class="crumbs"><a href="/docs">${document.info.title}</a></p>
<h1 id="title">${title}</h1>
<p class="lead">${intro}</p>
</section>
${contents(groups, group)}
<main class="page" id="content" tabindex="-1">
${content}
${footer(document)}
</main>
</div>`,
    },
    server,
  );
}

/**
 * Returns the header of the site; for a server without the site, a link to the start page.
 */
function top(server: ReferenceServer | null): Html {
  if (server?.hasSite === true) return html`${siteHeader("/docs", headerFindForm(), server.face)}\n`;
  return html`<header class="bar-top"><div>${siteMark(DEFAULT_FACE)}</div></header>\n`;
}

function footer({ info }: OpenApi): Html {
  return html`<footer>Generated from the <a href="/openapi.json">OpenAPI document</a>. Licence of ${String(info.title)}: Apache-2.0. Each release states the licence of its scores.${contactWords(info.contact)}</footer>`;
}

function contactWords({ email, url }: OpenApi["info"]["contact"]): Html | null {
  const contact = url ?? email;
  return contact === undefined ? null : html` Contact of this server: ${contactLink(contact)}.`;
}

/** Returns links to all pages, and to the sections of the current page, which is the index if `current` is null. */
function contents(groups: readonly Group[], current: Group | null): Html {
  const link = (href: string, text: HtmlPart, isCurrent: boolean, inner: readonly Html[]) =>
    html`<li><a href="${href}"${isCurrent ? html` aria-current="page"` : null}>${text}</a>${inner.length === 0 ? null : html`<ul>${inner}</ul>`}</li>`;
  const sections = (entries: readonly Pick<ReferenceEntry, "anchor" | "text">[]) =>
    entries.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`);
  const chapters = guide(null).map(({ anchor, title }) => ({ anchor, text: title }));
  return html`<nav aria-label="Contents"><details class="contents"><summary>Contents</summary><ul>${link("/docs", "Getting started", current === null, current === null ? sections(chapters) : [])}${groups.map(
    (group) =>
      link(`/docs/${group.name}`, group.title, group === current, group === current ? sections(group.entries) : []),
  )}</ul></details></nav>`;
}

function listOperations({ paths }: OpenApi, tag: string): Located[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation?.tags.includes(tag) ? [{ method, path, operation }] : [];
    }),
  );
}

function operationsGroup({ name, description }: OpenApi["tags"][number], document: OpenApi): Group {
  const operations = listOperations(document, name);
  return {
    name: name.toLowerCase(),
    title: name,
    anchor: anchorOf.tag(name),
    intro: inline(description),
    entries: operations.map(({ method, path, operation }) => ({
      anchor: anchorOf.operation(operation.operationId),
      text: operation.summary,
      note: html` <code>${method.toUpperCase()} ${breakablePath(path)}</code>`,
    })),
    content: operations.map((located) => operationSection(located, document)),
  };
}

function problemsGroup({ components }: OpenApi): Group {
  return {
    name: "problems",
    title: "Problem types",
    anchor: "rejections",
    intro: html`Each error response is an <code>application/problem+json</code> document (RFC 9457) with one of these types. Caches may store a 404 for a minute, and no other error.`,
    entries: Object.keys(components.examples).map((type) => ({
      anchor: anchorOf.problem(type),
      text: type,
      note: null,
    })),
    content: twoColumns(
      "Problem types",
      ["Type and status", "Meaning"],
      Object.entries(components.examples).map(([type, { value }]: [string, Example]) => {
        const { status, title } = problem.parse(value);
        return {
          name: html`<a id="${anchorOf.problem(type)}" href="/problems/${type}">${type}</a>`,
          notes: String(status),
          meaning: [html`${title}. `, adviceOn(type)],
        };
      }),
    ),
  };
}

function adviceOn(type: string): string {
  return Object.entries(PROBLEM_ADVICE).find(([name]) => name === type)?.[1] ?? "";
}

function headersGroup({ components }: OpenApi): Group {
  return {
    name: "headers",
    title: "Response headers",
    anchor: "headers",
    intro: "Headers of responses, with their meaning.",
    entries: Object.keys(components.headers).map((name) => ({ anchor: anchorOf.header(name), text: name, note: null })),
    content: twoColumns(
      "Response headers",
      ["Header", "Meaning"],
      Object.entries(components.headers).map(([name, { description, schema, example }]) => ({
        name: html`<code id="${anchorOf.header(name)}">${name}</code>`,
        notes: typeText(schema),
        meaning: [inline(description), html` For example <code>${String(example)}</code>.`],
      })),
    ),
  };
}

function schemasGroup({ components }: OpenApi): Group {
  const schemas = Object.entries(components.schemas);
  return {
    name: "schemas",
    title: "Schemas",
    anchor: "schemas",
    intro: "Types of request and response bodies, with their fields.",
    entries: schemas.map(([name]) => ({ anchor: anchorOf.schema(name), text: name, note: null })),
    content: schemas.map(([name, schema]) => schemaSection(name, schema)),
  };
}

/** Returns the section of a schema. It is closed, as most readers need one of more than a hundred; a link opens it. */
function schemaSection(name: string, schema: Schema): Html {
  return html`<details class="schema"><summary><h2>${name}</h2></summary><div id="${anchorOf.schema(name)}">
${schema.description === undefined ? null : html`<p>${inline(schema.description)}</p>`}
${fieldTable(schema, name) ?? html`<p>${typeText(schema)}</p>`}</div></details>`;
}

function tablesGroup(): Group {
  return {
    name: "tables",
    title: "Tables",
    anchor: "tables",
    intro: inline(TABLES_INTRO),
    entries: PUBLISHED_TABLES.map((table) => ({
      anchor: anchorOf.table(publishedName(table)),
      text: publishedName(table),
      note: html`: ${table.grain}`,
    })),
    content: PUBLISHED_TABLES.map(tableSection),
  };
}

function tableSection(table: Table): Html {
  const name = publishedName(table);
  const columns = Object.entries(table.columns).map(([column, type]) => ({
    name: html`<code>${column}</code>`,
    notes: table.key.includes(column) ? `${type}, key` : type,
    meaning: inline(getColumnMeaning(table, column)),
  }));
  return html`<section class="schema" id="${anchorOf.table(name)}"><h2>${name}</h2>
<p>One row: ${table.grain}.</p>
${twoColumns(`Columns of ${name}`, ["Column", "Meaning"], columns)}</section>`;
}
