/** The fields of all metadata blocks of a Dataverse version, by type name, whatever block an installation keeps them in. */

import type { EvidenceName } from "../../../schemas/public/evidence.ts";
import { asList, asObject, asText, at, type Json } from "../../reading/reader.ts";

/** Reads fields tolerantly: null = not carried, none = Dataverse leaves empty fields out. */
export class Fields {
  readonly errors: Set<EvidenceName>;
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #carried: boolean;

  constructor(version: Json, errors: Set<EvidenceName>) {
    const blocks = asObject(version.metadataBlocks);
    const fields = Object.values(blocks ?? {}).flatMap((block) => asList(at(block, "fields")));
    this.#values = new Map(fields.map((field) => [asText(at(field, "typeName")) ?? "", at(field, "value")]));
    this.#carried = blocks !== null;
    this.errors = errors;
  }

  /** The values of a field that may have several; one that should be a list and is a single object is one. */
  list(name: string, columns: readonly EvidenceName[]): readonly unknown[] | null {
    const value = this.#values.get(name);
    if (value === undefined || value === null) return this.#carried ? [] : null;
    if (Array.isArray(value)) return value;
    return asObject(value) === null ? this.fail(columns) : [value];
  }

  /** The texts of a field of plain text, one or several. */
  texts(name: string, columns: readonly EvidenceName[]): readonly string[] | null {
    const value = this.#values.get(name);
    if (typeof value === "string") return [value];
    return (
      this.list(name, columns)
        ?.map(asText)
        .filter((text) => text !== null) ?? null
    );
  }

  fail(columns: readonly EvidenceName[]): null {
    for (const column of columns) this.errors.add(column);
    return null;
  }
}

/** The text of one part of a compound value. */
export function part(entry: unknown, name: string): string | null {
  return asText(at(entry, name, "value"));
}
