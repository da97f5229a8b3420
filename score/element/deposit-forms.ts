/** Converts the state of a repository's deposit form to metadata that can be scored. */

import { asList, asObject, type Json } from "../../pipeline/reading/reader.ts";

/** A kind of deposit form: the source whose format its metadata have, and a function that converts its state. */
export interface DepositForm {
  readonly source: string;
  buildMetadata(state: Json): unknown;
}

export const DEPOSIT_FORMS: Readonly<Record<string, DepositForm>> = {
  // Values of Formik (invenio-rdm-records, DepositRecordSerializer.js).
  inveniordm: { source: "zenodo", buildMetadata: buildRecord },
  // Values of react-hook-form (dataverse-frontend, MetadataFieldsHelper.ts).
  dataverse: { source: "dataverse", buildMetadata: buildDataset },
};

/**
 * Fields whose value is the id of a vocabulary entry. In the form, the value is the id itself, but in a record it must
 * be an object with the id.
 */
const VOCABULARIES = new Set(["resource_type", "relation_type", "role", "type", "lang"]);

function buildRecord({ metadata, access, files, custom_fields: fields }: Json): unknown {
  const stated = asObject(filled(metadata)) ?? {};
  // `type` of a person is a word, not an id.
  const people = (list: unknown) =>
    asList(list).map((entry) => ({ ...asObject(withIds(entry)), person_or_org: asObject(entry)?.person_or_org }));
  const isTyped = stated.resource_type !== undefined;
  return {
    metadata: {
      ...asObject(withIds(stated)),
      ...(isTyped ? {} : { resource_type: { id: "dataset" } }),
      creators: people(stated.creators),
      contributors: people(stated.contributors),
    },
    ...(access === undefined ? {} : { access }),
    ...(files === undefined ? {} : { files }),
    ...(fields === undefined ? {} : { custom_fields: fields }),
  };
}

function withIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIds);
  const object = asObject(value);
  if (object === null) return value;
  const entries = Object.entries(object).map(([name, member]) => [
    name,
    VOCABULARIES.has(name) && typeof member === "string" ? { id: member } : withIds(member),
  ]);
  return Object.fromEntries(entries);
}

function buildDataset(state: Json): unknown {
  const blocks = Object.entries(state).map(([name, block]) => [name, { fields: listBlockFields(block) }]);
  return { datasetVersion: { metadataBlocks: Object.fromEntries(blocks) } };
}

function listBlockFields(block: unknown): unknown[] {
  return Object.entries(asObject(filled(block)) ?? {}).map(([typeName, value]) => {
    // A simple field that can be repeated is a list of objects with `value` alone.
    const list = Array.isArray(value) ? value.map((each) => asObject(each)?.value ?? each) : null;
    const isCompound = asObject(list?.[0] ?? value) !== null;
    const converted = isCompound ? (list ?? [value]).map(buildCompound) : (list ?? value);
    return {
      typeName,
      multiple: list !== null,
      typeClass: isCompound ? "compound" : "primitive",
      value: isCompound && list === null ? asList(converted)[0] : converted,
    };
  });
}

function buildCompound(entry: unknown): unknown {
  const parts = Object.entries(asObject(entry) ?? {});
  return Object.fromEntries(
    parts.map(([typeName, value]) => [typeName, { typeName, multiple: false, typeClass: "primitive", value }]),
  );
}

/** Removes empty texts, lists and objects, because they are fields that the user has not filled in. */
function filled(value: unknown): unknown {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (Array.isArray(value)) {
    const list = value.map(filled).filter((each) => each !== undefined);
    return list.length === 0 ? undefined : list;
  }
  const object = asObject(value);
  if (object === null) return value ?? undefined;
  const entries = Object.entries(object)
    .map(([name, member]) => [name, filled(member)] as const)
    .filter(([, member]) => member !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const MAX_CONTROLS = 2_000;

/** Matches the index of a list element in a name. It has up to three digits. */
const INDEX = /^\d{1,3}$/;

const NOT_A_MEMBER = /^(?:__proto__|constructor|prototype)$/;

/**
 * Returns the state of an HTML form. The names of its controls are paths: `citation.author.0.authorName` is the field
 * `authorName` of the first author. If a name occurs several times, its values become a list.
 */
export function readFormState(form: HTMLFormElement): Json {
  const root: Record<string, unknown> = {};
  for (const [name, value] of [...new FormData(form)].slice(0, MAX_CONTROLS)) {
    const path = name.split(".");
    if (typeof value === "string" && !path.some((step) => NOT_A_MEMBER.test(step))) put(root, path, value);
  }
  return root;
}

function put(root: Record<string, unknown>, path: readonly string[], value: string): void {
  let at = root;
  for (const [i, step] of path.slice(0, -1).entries()) {
    at[step] ??= INDEX.test(path[i + 1] ?? "") ? [] : {};
    const next = at[step];
    if (typeof next !== "object" || next === null) return;
    at = next as Record<string, unknown>;
  }
  const last = path.at(-1) ?? "";
  const known = at[last];
  at[last] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
}
