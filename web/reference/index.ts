/** The API reference: the OpenAPI document as a standalone document. */

import type { Example, Method, OpenApi, Schema } from "../../api-static/openapi/types.ts";
import { PROBLEM_ADVICE } from "../../api-static/pages/problem-advice.ts";
import { problem } from "../../schemas/public/problem.ts";
import { contactLink } from "../components/contact.ts";
import { LOGO, standaloneDocument } from "../components/document.ts";
import { type Html, html } from "../html.ts";
import { GUIDE } from "./guide.ts";
import { inline, paragraphs } from "./markdown.ts";
import { type Located, operationSection } from "./operation.ts";
import { anchorOf, fieldTable, twoColumns, typeText } from "./schemas.ts";

const METHODS: readonly Method[] = ["get", "post", "delete"];

export function referencePage(document: OpenApi): string {
  const { info } = document;
  return standaloneDocument({
    title: `${info.title}: API reference`,
    description: info.summary,
    body: html`<div class="reference">
<header>
<p class="mark">${LOGO} SHARE</p>
<h1>${info.title}</h1>
<p class="lead">${info.summary}</p>
<p class="muted small">API ${info.version} · SHARE ${document["x-share-version"]} · <a href="/openapi.json">OpenAPI ${document.openapi} document</a></p>
</header>
${contents(document)}
<main class="page" id="content" tabindex="-1">
<section id="about" aria-labelledby="about-name"><h2 id="about-name">About</h2>${paragraphs(info.description)}</section>
<section id="begin" aria-labelledby="begin-name"><h2 id="begin-name">Getting started</h2>${GUIDE.map(
      ({ anchor, title, content }) =>
        html`<section class="chapter" id="${anchor}"><h3>${title}</h3>${content}</section>`,
    )}</section>
${document.tags.map(({ name, description }) => tagSection(name, description, document))}
${problemTypes(document)}
${headers(document)}
${schemas(document)}
<footer>Generated from the <a href="/openapi.json">OpenAPI document</a>. Licence of ${String(document.info.title)}: Apache-2.0. Each release states the licence of its scores.${contactWords(info.contact)}</footer>
</main>
</div>`,
  });
}

function contactWords({ email, url }: OpenApi["info"]["contact"]): Html | null {
  const contact = url ?? email;
  return contact === undefined ? null : html` Contact of this server: ${contactLink(contact)}.`;
}

function contents(document: OpenApi): Html {
  const chapters: [string, string, Html[]][] = [
    ["about", "About", []],
    ["begin", "Getting started", GUIDE.map(({ anchor, title }) => link(anchor, title))],
    ...document.tags.map(({ name }): [string, string, Html[]] => [
      anchorOf.tag(name),
      name,
      operationsOf(document, name).map(({ operation }) =>
        link(anchorOf.operation(operation.operationId), operation.summary),
      ),
    ]),
    ["refusals", "Problem types", []],
    ["headers", "Headers", []],
    ["schemas", "Schemas", []],
  ];
  return html`<nav aria-label="Contents"><ul>${chapters.map(
    ([anchor, title, inner]) =>
      html`<li>${link(anchor, title)}${inner.length === 0 ? null : html`<ul>${inner.map((entry) => html`<li>${entry}</li>`)}</ul>`}</li>`,
  )}</ul></nav>`;
}

function link(anchor: string, text: string): Html {
  return html`<a href="#${anchor}">${text}</a>`;
}

function operationsOf({ paths }: OpenApi, tag: string): Located[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation?.tags.includes(tag) ? [{ method, path, operation }] : [];
    }),
  );
}

function tagSection(name: string, description: string, document: OpenApi): Html {
  const anchor = anchorOf.tag(name);
  return html`<section id="${anchor}" aria-labelledby="${anchor}-name"><h2 id="${anchor}-name">${name}</h2>
<p>${inline(description)}</p>
${operationsOf(document, name).map((located) => operationSection(located, document))}</section>`;
}

function problemTypes({ components }: OpenApi): Html {
  const rows = Object.entries(components.examples).map(([type, { value }]: [string, Example]) => {
    const { status, title } = problem.parse(value);
    return {
      name: html`<a id="${anchorOf.problem(type)}" href="/problems/${type}">${type}</a>`,
      notes: String(status),
      meaning: [html`${title}. `, adviceOn(type)],
    };
  });
  return html`<section id="refusals" aria-labelledby="refusals-name"><h2 id="refusals-name">Problem types</h2>
<p>Each error response is an <code>application/problem+json</code> document (RFC 9457) with one of these types. Caches may store a 404 for a minute, and no other error.</p>
${twoColumns("Problem types", ["Type and status", "Meaning"], rows)}</section>`;
}

function adviceOn(type: string): string {
  return Object.entries(PROBLEM_ADVICE).find(([name]) => name === type)?.[1] ?? "";
}

function headers({ components }: OpenApi): Html {
  const rows = Object.entries(components.headers).map(([name, { description, schema, example }]) => ({
    name: html`<code>${name}</code>`,
    notes: typeText(schema),
    meaning: [inline(description), html` For example <code>${String(example)}</code>.`],
  }));
  return html`<section id="headers" aria-labelledby="headers-name"><h2 id="headers-name">Response headers</h2>
${twoColumns("Response headers", ["Header", "Meaning"], rows)}</section>`;
}

function schemas({ components }: OpenApi): Html {
  return html`<section id="schemas" aria-labelledby="schemas-name"><h2 id="schemas-name">Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}</section>`;
}

function schemaSection(name: string, schema: Schema): Html {
  const anchor = anchorOf.schema(name);
  return html`<section class="schema" id="${anchor}"><h3>${name}</h3>
${schema.description === undefined ? null : html`<p>${inline(schema.description)}</p>`}
${fieldTable(schema, name) ?? html`<p>${typeText(schema)}</p>`}</section>`;
}
