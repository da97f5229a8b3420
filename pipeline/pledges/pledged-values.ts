/** The values that stand in a payload where a pledge says that it looks: for people who check a source, never for scores. */

import { asObject, asText } from "../reading/reader.ts";
import { parseXmlFragment } from "../reading/xml.ts";
import { XmlError } from "../reading/xml-check.ts";
import { before } from "../vocabularies/ends.ts";

/** How far below a place the next name of a path is looked for: pledges leave out what only wraps. */
const DEPTH = 6;

/** Values shown of one field. */
const MOST = 1000;

/** The places a pledge names, such as `a.b[].c, d/e`, each with the texts that stand there. */
export function pledgedValues(field: string, payload: unknown): { readonly path: string; readonly values: string[] }[] {
  return field.split(",").map((part) => {
    const path = part.trim();
    return { path, values: valuesAt(path, payload) };
  });
}

function valuesAt(path: string, payload: unknown): string[] {
  // "of /nodes/{id}/files" and "[pubmed]" tell people which; brackets and stars say that there are several.
  const names = before(path, " of ")
    .replace(/\[[^\]]*\]|\*|\\?"/g, "")
    .split(/[./]/)
    .filter((name) => name !== "");
  let here: readonly unknown[] = [payload];
  for (const name of names) here = here.flatMap((value) => below(value, name)).slice(0, MOST);
  return here.flatMap(textsOf).slice(0, MOST);
}

/** What is called so in the nearest level of a value that has anything of the name. */
function below(value: unknown, name: string): readonly unknown[] {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth < DEPTH && level.length > 0; depth++) {
    const flat = level.flatMap(unpacked).slice(0, 10 * MOST);
    const found = flat.flatMap((each) => named(each, name));
    if (found.length > 0) return found;
    level = flat.flatMap((each) => Object.values(asObject(each) ?? {}));
  }
  return [];
}

/** Lists as their elements; XML within text as what it says. */
function unpacked(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(unpacked);
  if (typeof value !== "string" || !/^\s*</.test(value)) return [value];
  try {
    return [parseXmlFragment(value)];
  } catch (error) {
    if (error instanceof XmlError) return [];
    throw error;
  }
}

/** A member, or where members are listed with their names (`{"typeName": …, "value": …}`) the value of one. */
function named(value: unknown, name: string): readonly unknown[] {
  const object = asObject(value);
  if (object === null) return [];
  if (Object.hasOwn(object, name)) return [object[name]];
  return object.typeName === name ? [object.value] : [];
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === "boolean") return [String(value)];
  const object = asObject(value);
  const text = asText(object === null ? value : (object.value ?? object["#text"]));
  if (text !== null) return [text];
  const keys = Object.keys(object ?? {});
  return keys.length === 0 ? [] : [`{${keys.join(", ")}}`];
}
