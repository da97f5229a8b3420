/** The API reference in Markdown, for language models: an index, and the same pages as in HTML. */

import type { MediaType, Method, OpenApi, Schema } from "../../api-static/openapi/types.ts";
import { PROBLEM_ADVICE } from "../../api-static/pages/problem-advice.ts";
import { meaningOf } from "../../schemas/public/column-meanings.ts";
import { problem } from "../../schemas/public/problem.ts";
import { publishedName } from "../../schemas/public/tables.ts";
import { html, type Part } from "../html.ts";
import { bullets, markdownDocument } from "../markdown.ts";
import { fieldsOf, typeText } from "./schemas.ts";
import { PUBLISHED_TABLES, TABLES_INTRO } from "./tables.ts";

/** Name of the page of schemas. */
const SCHEMAS = "schemas";

const METHODS: readonly Method[] = ["get", "post", "delete"];

/** A page of the reference besides the index. */
export interface ReferenceTwin {
  /** Last segment of the page's path. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

export function referenceTwins(document: OpenApi): ReferenceTwin[] {
  return [
    ...document.tags.map((tag) => operationsTwin(tag, document)),
    problemsTwin(document),
    headersTwin(document),
    schemasTwin(document),
    tablesTwin(),
  ];
}

export function referenceIndexTwin(
  { info, "x-share-version": version }: OpenApi,
  twins: readonly ReferenceTwin[],
): string {
  return markdownDocument(
    `# ${info.title}: API reference`,
    `> ${info.summary}`,
    `API ${info.version}, SHARE ${version}. [OpenAPI document](/openapi.json)`,
    info.description,
    "## Pages",
    bullets(twins.map(({ name, title, description }) => `[${title}](/docs/${name}.md): ${description}`)),
  );
}

function twin(page: Omit<ReferenceTwin, "text">, ...blocks: readonly (string | null)[]): ReferenceTwin {
  return { ...page, text: markdownDocument(`# ${page.title}: API reference`, page.description, ...blocks) };
}

function operationsTwin({ name, description }: OpenApi["tags"][number], document: OpenApi): ReferenceTwin {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation?.tags.includes(name) ? [{ operation, path, method }] : [];
    }),
  );
  return twin(
    { name: name.toLowerCase(), title: name, description },
    ...operations.flatMap(({ operation, path, method }) => [
      `## ${operation.summary}`,
      `\`${method.toUpperCase()} ${path}\``,
      operation.description ?? null,
      bullets(
        (operation.parameters ?? []).flatMap((parameter) =>
          "$ref" in parameter
            ? []
            : [
                `\`${parameter.name}\` (${parameter.in}, ${parameter.required ? "required" : "optional"}): ${textOf(typeText(parameter.schema))}. ${parameter.description}`,
              ],
        ),
      ),
      operation.requestBody === undefined ? null : `Body: ${typesOf(operation.requestBody.content)}`,
      bullets(
        Object.entries(operation.responses).flatMap(([status, response]) =>
          "$ref" in response ? [] : [`Status ${status}: ${response.description} ${typesOf(response.content ?? {})}`],
        ),
      ),
      ...operation["x-codeSamples"].map(({ source }) => `\`\`\`sh\n${source}\n\`\`\``),
    ]),
  );
}

function typesOf(content: Readonly<Record<string, MediaType>>): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `\`${type}\`${schema?.$ref === undefined ? "" : ` ${schemaLink(schema.$ref)}`}`)
    .join(", ");
}

function schemaLink($ref: string): string {
  return textOf(typeText({ $ref }));
}

function problemsTwin({ components }: OpenApi): ReferenceTwin {
  const advice: Readonly<Record<string, string>> = PROBLEM_ADVICE;
  return twin(
    {
      name: "problems",
      title: "Problem types",
      description: "Each error response is an `application/problem+json` document (RFC 9457) with one of these types.",
    },
    bullets(
      Object.entries(components.examples).map(([type, { value }]) => {
        const { status, title } = problem.parse(value);
        return `\`${type}\` (${status}): ${title}. ${advice[type] ?? ""}`;
      }),
    ),
  );
}

function headersTwin({ components }: OpenApi): ReferenceTwin {
  return twin(
    { name: "headers", title: "Response headers", description: "Headers of responses, with their meaning." },
    bullets(
      Object.entries(components.headers).map(
        ([name, { description, schema }]) => `\`${name}\`, ${textOf(typeText(schema))}: ${description}`,
      ),
    ),
  );
}

function schemasTwin({ components }: OpenApi): ReferenceTwin {
  return twin(
    {
      name: SCHEMAS,
      title: "Schemas",
      description: "Types of request and response bodies, with their fields.",
    },
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      `## ${name}`,
      schema.description ?? null,
      fieldList(schema),
    ]),
  );
}

function tablesTwin(): ReferenceTwin {
  return twin(
    { name: "tables", title: "Tables", description: TABLES_INTRO },
    ...PUBLISHED_TABLES.flatMap((table) => [
      `## ${publishedName(table)}`,
      `One row: ${table.grain}. Key: ${table.key.map((column) => `\`${column}\``).join(", ")}.`,
      bullets(
        Object.entries(table.columns).map(([column, type]) => `\`${column}\`, ${type}: ${meaningOf(table, column)}`),
      ),
    ]),
  );
}

function fieldList(schema: Schema): string {
  const fields = fieldsOf(schema, "");
  if (fields.length === 0) return textOf(typeText(schema));
  return bullets(
    fields.map(
      ({ path, schema: field, required }) =>
        `\`${path}\`: ${textOf(typeText(field))}${required ? "" : ", optional"}. ${field.description ?? ""}`,
    ),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Returns the text of a type as Markdown. It has no elements besides code and links to schemas. */
function textOf(part: Part): string {
  return html`${part}`.text
    .replace(/<\/?code>/g, "`")
    .replace(/<a href="\/docs\/schemas#schema-(\w+)">\w+<\/a>/g, `[$1](/docs/${SCHEMAS}.md)`)
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => ENTITIES[String(name)] ?? "");
}
