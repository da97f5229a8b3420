/** The members of an object as a table: those of objects inside it stand below it, by their path. */

import type { Schema } from "../../api-static/openapi/types.ts";
import { type Html, html, type Part } from "../html.ts";
import { inline } from "./markdown.ts";
import { typeWords } from "./schema-words.ts";

interface Member {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** A table of two columns, which fits a telephone. */
export function memberTable(schema: Schema, label: string): Html | null {
  const members = membersOf(schema, "");
  if (members.length === 0) return null;
  return twoColumns(
    label,
    ["Member", "Meaning"],
    members.map(({ path, schema: member, required }) => ({
      name: html`<code>${path}</code>`,
      notes: [typeWords(member), required ? null : ", optional"],
      meaning: inline(member.description ?? ""),
    })),
  );
}

/** Members, and below each the members of the object it holds. */
function membersOf(schema: Schema, prefix: string): Member[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = prefix + name;
    return [{ path, schema: member, required: required.includes(name) }, ...within(member, path)];
  });
}

function within(schema: Schema, path: string): Member[] {
  if (schema.items !== undefined) return within(schema.items, `${path}[]`);
  const inner = schema.anyOf?.find((option) => option.properties !== undefined) ?? schema;
  return membersOf(inner, `${path}.`);
}

export interface Row {
  readonly name: Part;
  /** Small print below the name. */
  readonly notes: Part;
  readonly meaning: Part;
}

/** `label` names the table to those who do not see where it stands. */
export function twoColumns(label: string, [first, second]: readonly [string, string], rows: readonly Row[]): Html {
  return html`<table aria-label="${label}">
<thead><tr><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead>
<tbody>${rows.map(
    ({ name, notes, meaning }) =>
      html`<tr><th scope="row">${name} <span class="notes">${notes}</span></th><td>${meaning}</td></tr>\n`,
  )}</tbody>
</table>`;
}
