/** Shows one operation: description, parameters, responses and problem types, beside an example of request and response. */

import { readableJson } from "../../api-static/openapi/readable-json.ts";
import type {
  MediaType,
  Method,
  OpenApi,
  Operation,
  Parameter,
  Reference,
  Response,
} from "../../api-static/openapi/types.ts";
import { Html, type HtmlPart, html } from "../html.ts";
import { breakablePath, highlightedJson, inline, paragraphs } from "./markdown.ts";
import { anchorOf, nameIn, type SchemaRow, schemaLink, twoColumns, typeText } from "./schemas.ts";

/** Status codes of errors that all operations have. They are folded, because they are the same everywhere. */
const COMMON_ERRORS: readonly string[] = ["401", "429", "500", "503", "default"];

export interface Located {
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
}

export function operationSection({ method, path, operation }: Located, { components }: OpenApi): Html {
  const { operationId, summary, description, requestBody, "x-codeSamples": samples } = operation;
  const anchor = anchorOf.operation(operationId);
  const responses = Object.entries(operation.responses).map(([status, response]): [string, Response] => [
    status,
    "$ref" in response ? resolved(response, components.responses) : response,
  ]);
  const [first = null, ...notes] = paragraphs(description ?? "");
  return html`<section class="operation" id="${anchor}" aria-labelledby="${anchor}-name">
<div>
<h2 id="${anchor}-name">${summary}</h2>
<p class="address"><span class="method ${method}">${method.toUpperCase()}</span> <code>${breakablePath(path)}</code></p>
${first}
</div>
<div class="case">
${samples.map(({ source }) => code("Request", html`${source}`))}
${listExamples(responses).map(([type, example], i) => renderExample(type, example, `${operationId}-${i}`))}
</div>
<div>
${parameterTable(summary, operation.parameters ?? [])}
${requestBody === undefined ? null : html`<h3>Body</h3>${contentLines(requestBody.content)}`}
<h3>Responses</h3>
<dl class="answers">${responses.filter(([status]) => !COMMON_ERRORS.includes(status)).map(responseLine)}
</dl>
<details><summary>Errors that every operation can have</summary><p>${responses.filter(([status]) => COMMON_ERRORS.includes(status)).map(errorItem)}</p></details>
${notes.length === 0 ? null : html`<h3>Notes</h3>${notes}`}
</div>
</section>`;
}

function resolved<T>({ $ref }: Reference, components: Readonly<Record<string, T>>): T {
  const component = components[nameIn($ref)];
  if (component === undefined)
    throw new Error(`the OpenAPI document has no component for ${$ref}; run npm run generate`);
  return component;
}

function parameterTable(summary: string, parameters: readonly (Parameter | Reference)[]): Html | null {
  const rows = parameters.flatMap((parameter) => ("$ref" in parameter ? [] : [parameterRow(parameter)]));
  return rows.length === 0 ? null : twoColumns(`Parameters: ${summary}`, ["Parameter", "Meaning"], rows);
}

function parameterRow({ name, in: where, description, schema, example }: Parameter): SchemaRow {
  const preset = schema.default === undefined ? null : html`, default <code>${String(schema.default)}</code>`;
  const exampleText =
    example === undefined || example === schema.default ? null : html` For example <code>${String(example)}</code>.`;
  return {
    name: html`<code>${name}</code>`,
    notes: [where === "path" ? "in the path, " : null, typeText(schema), preset],
    meaning: [inline(description), exampleText],
  };
}

function responseLine([status, response]: [string, Response]): Html {
  const types = problemTypes(response);
  const meaning =
    types.length === 0
      ? html`${inline(response.description)}${contentLines(response.content ?? {})}`
      : problemLinks(types);
  return html`<div><dt><code>${status}</code></dt><dd>${meaning}</dd></div>\n`;
}

function errorItem([status, response]: [string, Response], i: number): HtmlPart {
  const statusText = status === "default" ? "any other error" : html`<code>${status}</code>`;
  return [i === 0 ? "" : "; ", statusText, " ", problemLinks(problemTypes(response))];
}

function problemTypes({ content = {} }: Response): string[] {
  return Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
}

function problemLinks(types: readonly string[]): HtmlPart {
  return types.map((type, i) => [
    i === 0 ? "" : ", ",
    html`<a href="/docs/problems#${anchorOf.problem(type)}">${type}</a>`,
  ]);
}

/** Returns the media types, each with its schema. */
function contentLines(content: Readonly<Record<string, MediaType>>): HtmlPart {
  const kinds = Object.entries(content);
  if (kinds.length === 0) return null;
  return html`<ul class="kinds">${kinds.map(([type, { schema }]) => {
    const name = schema?.$ref === undefined ? null : schemaLink(nameIn(schema.$ref));
    return html`<li><code>${type}</code>${name === null ? null : html` ${name}`}</li>`;
  })}</ul>`;
}

/** Returns the examples without duplicates, because badges respond to several statuses with the same picture. */
function listExamples(responses: readonly [string, Response][]): [string, unknown][] {
  const examples = responses.flatMap(([, { content = {} }]) =>
    Object.entries(content).flatMap(([type, { example }]): [string, unknown][] =>
      example === undefined ? [] : [[type, example]],
    ),
  );
  return examples.filter(([type, example], i) => i === examples.findIndex(([t, e]) => t === type && e === example));
}

/** Returns an example as a block of code, or as a picture if it is a badge. `suffix` is unique in the document. */
function renderExample(type: string, example: unknown, suffix: string): Html {
  if (type === "image/svg+xml") return picture(String(example), suffix);
  if (typeof example === "string") return code(type, html`${example}`);
  return code(type, html`${highlightedJson(readableJson(example))}`);
}

/** Returns a block of code that scrolls with the keyboard. */
export function code(label: string, text: HtmlPart): Html {
  return html`<figure><figcaption>${label}</figcaption><pre tabindex="0" data-copy="" role="group" aria-label="${label}"><code>${text}</code></pre></figure>\n`;
}

/** Returns a badge as a picture. All badges contain the same ids, so they get a `suffix` that is unique in the document. */
export function picture(svg: string, suffix: string): Html {
  const renamed = svg.replace(/\bid="(\w+)"/g, `id="$1-${suffix}"`).replace(/url\(#(\w+)\)/g, `url(#$1-${suffix})`);
  return html`<figure><figcaption>image/svg+xml</figcaption><p class="badge">${new Html(renamed.trim())}</p></figure>\n`;
}
